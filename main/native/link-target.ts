import type { NativeAd } from '../../shared/native';
import { withScheme } from '../service/ads-reading/vast-values';
import { MAX_QR_BYTES } from '../shell/link-view/qr-code';
import { MAX_URL } from './typed-items';

/** What a kiosk can do with a link (rule 18). */
export type LinkTarget =
  /** Opens in the link view; also the web address that an app's own scheme carries for those without the app. */
  | { readonly kind: 'web'; readonly url: string }
  /** Only a phone can follow it. */
  | { readonly kind: 'qr'; readonly text: string };

/** Schemes that mean something to this machine, not to a phone: never opened, never offered. */
const OWN_SCHEMES =
  /^(javascript|data|file|blob|filesystem|vbscript|about|view-source|chrome[a-z-]*|devtools|endcap|media|guest):/i;

/**
 * Where a link leads, or null when it leads nowhere. An `intent:` link names its `S.browser_fallback_url`. Of
 * the web addresses in a foreign scheme's query the first https one counts, without one the first http one.
 */
export function linkTarget(link: string | null): LinkTarget | null {
  const address = withScheme(link?.trim() ?? '');
  // A banner's own may have 2 MiB, and as many parameters (rule 31).
  if (address.length > MAX_URL) return null;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address) || OWN_SCHEMES.test(address)) return null;
  if (/^https?:/i.test(address)) return isWeb(address) ? { kind: 'web', url: address } : null;
  const values = queryValues(address).filter(isWeb);
  const url =
    intentFallbacks(address).find(isWeb) ?? values.find((value) => /^https:/i.test(value)) ?? values[0];
  if (url !== undefined) return { kind: 'web', url };
  return Buffer.byteLength(address) <= MAX_QR_BYTES ? { kind: 'qr', text: address } : null;
}

/**
 * What a phone's camera opens of a link that it is to continue; null: nothing that fits a QR code.
 *
 * @param reached where the link's redirects ended on this machine
 */
export function phoneAddress(reached: string, link: string): string | null {
  const target = linkTarget(reached);
  const end = target?.kind === 'web' ? target.url : (target?.text ?? link);
  // A phone follows the link for its own system. Most cameras open no address of an app.
  const addresses = /^https?:/i.test(reached) ? [end, link] : [link, end];
  return addresses.find((address) => Buffer.byteLength(address) <= MAX_QR_BYTES) ?? null;
}

/** Where a click on the ad leads: its `link`, else the click-through of its video (rule 18). */
export function clickTarget(ad: NativeAd): LinkTarget | null {
  return linkTarget(ad.link) ?? videoTarget(ad);
}

/**
 * Where a click on the ad's video leads.
 *
 * @param fill fills the macros of the address
 */
export function videoTarget(ad: NativeAd, fill = (url: string): string => url): LinkTarget | null {
  const page = ad.assets.video?.clickThrough ?? null;
  return linkTarget(page && fill(page));
}

function isWeb(value: string): boolean {
  return /^https?:\/\/[^/]/i.test(value) && URL.canParse(value);
}

function queryValues(address: string): readonly string[] {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? '';
  return [...new URLSearchParams(query).values()].map((value) => value.trim());
}

function intentFallbacks(address: string): readonly string[] {
  if (!/^intent:/i.test(address)) return [];
  const encoded = /[#;]S\.browser_fallback_url=([^;]*)/.exec(address)?.[1] ?? '';
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [];
  }
}
