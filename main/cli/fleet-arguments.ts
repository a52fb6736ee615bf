import { type Addressee, GROUP_NAME, KIOSK_NAME } from '../fleet/link/topics';
import { type BrokerAddress, brokerName, isSafeBroker, readBroker } from '../settings/broker-address';
import { certificateError, certificateIn, privateKeyIn } from '../settings/client-certificate';
import { readNamedFile } from './argument-files';
import { type CommandLine, UsageError } from './command-result';
import type { FleetAccess, FleetConnection, FleetQuiet } from './fleet-connection';
import { type CommandKey, readCommandKey } from './fleet-keys';

const MAX_FILE_BYTES = 256 * 1024;
const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

export const FLEET_OPTIONS = {
  broker: texts,
  username: text,
  'password-file': text,
  'ca-file': text,
  'cert-file': text,
  'key-file': text,
  prefix: text,
  'sign-key': text,
  'trust-key': texts,
  to: text,
  wait: flag,
  timeout: text,
  valid: text,
  json: flag,
  out: text,
  width: text,
  severity: text,
  language: text,
  until: text,
  end: flag,
  'at-once': flag,
  all: flag,
  replace: flag,
} as const;

export type FleetOptions = CommandLine<typeof FLEET_OPTIONS>['options'];

export interface FleetProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** Standard output; resolves when there is room for more. */
  readonly out: (text: string) => Promise<void>;
  /** Standard error, for everything but the answer. */
  readonly writeError: (text: string) => Promise<void>;
  /** Size of the terminal; null if standard output is not a terminal. */
  readonly terminal: () => { readonly columns: number; readonly rows: number } | null;
  /** Aborted when the operator ends the command (Ctrl+C). */
  readonly ended: AbortSignal;
}

export interface FleetWork {
  /** Connects; called once, after all arguments were checked. */
  readonly connect: () => Promise<FleetConnection>;
  readonly prefix: string;
  /** Without the command itself. */
  readonly args: CommandLine<typeof FLEET_OPTIONS>;
  readonly process: FleetProcess;
  readonly quiet: FleetQuiet;
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

/** The operator's key: `--sign-key FILE`. */
export async function readSignKey({ 'sign-key': file }: FleetOptions): Promise<CommandKey> {
  if (file === undefined)
    throw new UsageError('expected --sign-key FILE with your key. Make one: endcap fleet keys FILE');
  return readCommandKey(file);
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
  const brokers = asked.filter((url) => url !== '').map(readBrokerOption);
  if (brokers.length === 0)
    throw new UsageError('expected --broker URL or ENDCAP_FLEET_BROKER, such as mqtts://broker.example:8883');
  const file = async (path: string | undefined) =>
    path === undefined ? null : readNamedFile(path, MAX_FILE_BYTES);
  const passwordFile = await file(options['password-file']);
  const password = passwordFile?.toString('utf8').replace(/\r?\n$/, '') ?? null;
  if (password !== null && options.username === undefined)
    throw new UsageError('expected --username NAME with --password-file, got the file alone');
  const open = brokers.find((broker) => !isSafeBroker(broker));
  if (password !== null && open)
    throw new UsageError(
      `${brokerName(open)}: a password travels over TLS only. Use mqtts: or wss:, or a broker on this machine`,
    );
  if ((options['cert-file'] === undefined) !== (options['key-file'] === undefined))
    throw new UsageError('expected --cert-file and --key-file together, got one of them');
  /** The file of an option. Throws `UsageError` if `read` says in a sentence what is wrong with it. */
  const pemFile = async <Pem>(
    path: string | undefined,
    read: (text: string, path: string) => Pem | string,
  ) => {
    const bytes = await file(path);
    // `TextDecoder` drops a byte order mark.
    return bytes === null || path === undefined
      ? null
      : orUsageError(read(new TextDecoder().decode(bytes), path));
  };
  const cert = await pemFile(options['cert-file'], certificateIn);
  const key = await pemFile(options['key-file'], privateKeyIn);
  if (cert !== null && brokers.some(({ isSecure }) => !isSecure))
    throw new UsageError('a client certificate needs mqtts: or wss:, got a broker without TLS');
  const mismatch = cert && key && certificateError(cert, key);
  if (mismatch) throw new UsageError(mismatch);
  const ca = await pemFile(options['ca-file'], certificateIn);
  const login = {
    ...(options.username !== undefined && { username: options.username }),
    ...(password !== null && { password }),
    ...(ca !== null && { ca: ca.pem }),
    ...(cert !== null && key !== null && { cert: cert.pem, key: key.pem.reveal() }),
  };
  return { brokers, login };
}

function orUsageError<Read>(read: Read | string): Read {
  if (typeof read === 'string') throw new UsageError(read);
  return read;
}

function readBrokerOption(words: string): BrokerAddress {
  const broker = readBroker(words);
  if (broker !== null) return broker;
  // A password would be in the shell's history and in the list of processes.
  throw new UsageError(
    '--broker: expected mqtt://, mqtts://, ws:// or wss:// and a host, a path with ws:// and wss:// only, and no user or password in it (--username, --password-file), got something else',
  );
}
