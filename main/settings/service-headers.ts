import { Secret } from './secret';
import { type NamedFiles, readSecretFile } from './secret-file';
import type { SettingsProblem } from './settings-problems';

/** `service.headers` as the file has it: a value, or the file that holds it. */
export type NamedHeaders = Readonly<Record<string, string | { readonly file: string }>>;

/** An extra header of the service's own requests. */
export interface ServiceHeader {
  readonly name: string;
  readonly value: Secret;
  /** It came from a file of its own: it goes over TLS only, and is scrubbed from what the service says. */
  readonly isSecret: boolean;
}

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** What a header may hold (RFC 9110, 5.5): visible ASCII, and spaces and tabs between. */
export const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Set by the client itself, or carriers of its credentials. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Always `Endcap/VERSION`; of native requests that of native.params.ua (rule 19).
  'user-agent',
]);

/** Whether a header of this name is the client's own to set. */
export const isOwnHeader = (name: string) => OWN_HEADERS.has(name.toLowerCase());

/** The headers that are given as text; those in files are missing yet. */
export function plainHeaders(headers: NamedHeaders): readonly ServiceHeader[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ name, value: new Secret(value), isSecret: false }] : [],
  );
}

/** The headers that files hold, and what is wrong with the others. */
export async function readHeaderFiles(
  headers: NamedHeaders,
  files: NamedFiles,
): Promise<{ readonly headers: readonly ServiceHeader[]; readonly problems: readonly SettingsProblem[] }> {
  const read: ServiceHeader[] = [];
  const problems: SettingsProblem[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') continue;
    const secret = await readSecretFile(value.file, files, 'the value of the header');
    const problem =
      typeof secret === 'string'
        ? secret
        : HEADER_VALUE.test(secret.reveal())
          ? null
          : 'The file holds characters that no header may have; expected printable ASCII.';
    if (problem !== null) problems.push({ path: `service.headers.${name}.file`, message: problem });
    else if (typeof secret !== 'string') read.push({ name, value: secret, isSecret: true });
  }
  return { headers: read, problems };
}
