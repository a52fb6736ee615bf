import { parseArgs } from 'node:util';
import { type Addressee, GROUP_NAME, KIOSK_NAME } from '../fleet/link/topics';
import { isLoopbackHost } from '../settings/service-address';
import { optionError, UsageError } from './command-result';
import type { FleetAccess, FleetConnection, FleetQuiet } from './fleet-connection';
import type { FleetProcess } from './fleet-process';
import { readNamedFile } from './measured-file';

const MAX_FILE_BYTES = 256 * 1024;
const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

const OPTIONS = {
  ...{ broker: texts, username: text, 'password-file': text, 'ca-file': text, 'cert-file': text },
  ...{ 'key-file': text, prefix: text, 'sign-key': text, 'trust-key': texts },
  ...{ to: text, wait: flag, timeout: text, valid: text, json: flag, out: text, width: text },
  ...{ severity: text, language: text, until: text, end: flag },
  ...{ 'at-once': flag, all: flag, replace: flag },
  help: { ...flag, short: 'h' },
} as const;

export type FleetArguments = ReturnType<typeof readFleetArguments>;
export type FleetOptions = FleetArguments['options'];

/** Input of a command of `fleet`. */
export interface FleetWork {
  /** Connects; called once, after all arguments were checked. */
  readonly connect: () => Promise<FleetConnection>;
  readonly prefix: string;
  readonly args: FleetArguments;
  readonly process: FleetProcess;
  readonly quiet: FleetQuiet;
}

/** Splits the arguments of `fleet` into command, words and options. Throws `UsageError` for an unknown option. */
export function readFleetArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
    const [verb, ...words] = positionals;
    // The verb is the first word, such as `send`.
    return { verb, words, options: values };
  } catch (error) {
    throw new UsageError(optionError(error));
  }
}

/** `--to KIOSK|group:NAME|all`. */
export function readAddressee(to: string | undefined): Addressee {
  if (to === 'all') return 'all';
  const kiosk = to?.startsWith('kiosk:') ? to.slice('kiosk:'.length) : to;
  if (kiosk !== undefined && KIOSK_NAME.test(kiosk)) return `kiosk:${kiosk}`;
  const group = to?.startsWith('group:') ? to.slice('group:'.length) : '';
  if (GROUP_NAME.test(group)) return `group:${group}`;
  throw new UsageError(
    `--to: expected a kiosk's name (16 hex digits), group:NAME or all, got ${to === undefined ? 'nothing' : JSON.stringify(to)}`,
  );
}

/** First level(s) of the topics, as `fleet.topicPrefix` of the kiosks' settings. */
export function readPrefix({ prefix = 'endcap' }: FleetOptions): string {
  if (/^[^+#\s/][^+#\s]{0,128}$/.test(prefix) && !prefix.endsWith('/')) return prefix;
  throw new UsageError(`--prefix: expected topic levels without wildcards, got ${JSON.stringify(prefix)}`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a duration such as `90s`, `5m`, `2h` or `7d`; returns seconds, 1 to `most`, or throws `UsageError`. */
export function readSeconds(name: string, words: string, most: number): number {
  const [, number = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(words) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 0);
  if (seconds >= 1 && seconds <= most) return seconds;
  const expected = `a time such as 90s, 5m, 2h or 7d, at most ${most} seconds`;
  throw new UsageError(`--${name}: expected ${expected}, got ${JSON.stringify(words)}`);
}

/** Reads how to reach the broker from the options, and reads the files that they name. */
export async function readAccess(options: FleetOptions, env: FleetProcess['env']): Promise<FleetAccess> {
  const asked = options.broker ?? (env.ENDCAP_FLEET_BROKER ?? '').split(/[\s,]+/);
  const brokers = asked.filter((url) => url !== '').map(readBroker);
  if (brokers.length === 0)
    throw new UsageError('expected --broker URL or ENDCAP_FLEET_BROKER, such as mqtts://broker.example:8883');
  const file = async (path: string | undefined) =>
    path === undefined ? null : readNamedFile(path, MAX_FILE_BYTES);
  const passwordFile = await file(options['password-file']);
  const password =
    passwordFile &&
    Buffer.from(passwordFile)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  const open = brokers.find((broker) => !isSafe(broker));
  if (password !== null && open)
    throw new UsageError(
      `${open.protocol}//${open.host}: a password travels over TLS only. Use mqtts: or wss:, or a broker on this machine`,
    );
  const [cert, key] = [await file(options['cert-file']), await file(options['key-file'])];
  if ((cert === null) !== (key === null))
    throw new UsageError('expected --cert-file and --key-file together, got one of them');
  if (cert !== null && brokers.some(({ protocol }) => protocol === 'mqtt:' || protocol === 'ws:'))
    throw new UsageError('a client certificate needs mqtts: or wss:, got a broker without TLS');
  const ca = await file(options['ca-file']);
  return { brokers, username: options.username ?? null, password, ca, cert, key };
}

function readBroker(words: string): URL {
  const url = URL.canParse(words) ? new URL(words) : null;
  if (url === null || !['mqtt:', 'mqtts:', 'ws:', 'wss:'].includes(url.protocol) || url.hostname === '')
    throw new UsageError(
      '--broker: expected mqtt://, mqtts://, ws:// or wss:// and a host, got something else',
    );
  // A password would be in the shell's history and in the list of processes.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--broker: expected no user or password in it. Use --username and --password-file');
  return url;
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'mqtts:' || protocol === 'wss:' || isLoopbackHost(hostname);
