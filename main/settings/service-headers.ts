import { Secret, secretIn } from './secret';

/** `service.headers` or `proof.headers`: a value, or what the file holds; null: it was not read. */
type NamedHeaders = Readonly<Record<string, string | { readonly file: Secret | null }>>;

/** An extra header of the service's own requests, or of those that carry proof of play. */
export interface ServiceHeader {
  readonly name: string;
  readonly value: Secret;
  /** Its value came from a file: it is sent over TLS only, and removed from messages of the service. */
  readonly isSecret: boolean;
}

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** What a header may hold (RFC 9110, 5.5): visible ASCII, and spaces and tabs between. */
export const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that the client sets itself or that carry its credentials. */
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

/** The same for requests with proof of play, where the operator chooses Authorization and Content-Type. */
export const isOwnProofHeader = (name: string) =>
  name.toLowerCase() === 'content-encoding' ||
  (isOwnHeader(name) && !['authorization', 'content-type'].includes(name.toLowerCase()));

/** The value of a header in a file; a string is an error message. */
export function headerIn(text: string, file: string): Secret | string {
  const secret = secretIn('the value of the header')(text, file);
  return typeof secret === 'string' || HEADER_VALUE.test(secret.reveal())
    ? secret
    : `${file} holds characters that no header may have; expected printable ASCII, and no space at either end.`;
}

/** The headers that the settings name. One whose file was not read is left out. */
export function settingHeaders(headers: NamedHeaders): readonly ServiceHeader[] {
  return Object.entries(headers).flatMap(([name, value]): ServiceHeader[] => {
    if (typeof value === 'string') return [{ name, value: new Secret(value), isSecret: false }];
    return value.file === null ? [] : [{ name, value: value.file, isSecret: true }];
  });
}
