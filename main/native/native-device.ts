/** The device parameters of this machine, for those that the settings do not give. */
export type NativeDevice = ReturnType<typeof nativeDevice>;

export interface MachineFacts {
  readonly platform: string;
  /** `os.release()`. */
  readonly release: string;
  readonly arch: string;
  /** The board's product name (Linux: /sys/class/dmi/id/product_name), or null where there is none. */
  readonly productName: string | null;
  /** The browser's own. */
  readonly userAgent: string;
}

const OS_NAMES: ReadonlyMap<string, string> = new Map([
  ['win32', 'windows'],
  ['darwin', 'macos'],
]);

/** Product names of firmware that nobody filled in. */
const PLACEHOLDERS =
  /^(to be filled|default|system product|not (specified|applicable)|none$|unknown$|o\.e\.m)/i;

/**
 * Derives the parameters from the machine's facts. Never includes the host name or serial number, which would
 * be identifiers (rule 20).
 */
export function nativeDevice({ platform, release, arch, productName, userAgent }: MachineFacts) {
  const product = productName?.replace(/[\p{Cc}\s]+/gu, ' ').trim() ?? '';
  return {
    os: OS_NAMES.get(platform) ?? platform,
    osver: /^\d+(\.\d+){0,3}/.exec(release)?.[0] ?? release,
    devicemodel: product === '' || PLACEHOLDERS.test(product) ? `${arch} kiosk` : product.slice(0, 128),
    /** The browser's own; see `nativeUserAgent`. */
    userAgent,
  };
}
