import { Secret } from './secret';

/** The parsed value of `network.proxy`. */
export type ProxySetting = 'system' | ProxyAddress;

/** A forward proxy as the settings name it. */
export interface ProxyAddress {
  /** Lower case; a v6 literal without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `user:password` for Basic authentication (RFC 7617); null: it asks for none. */
  readonly credentials: Secret | null;
}

/** The words after "expected" for a wrong `network.proxy`. */
export const PROXY_EXPECTED =
  '"system", "http://host:port" or "http://user:password@host:port" (special characters of user and password percent-encoded), or null';

/** Reads `network.proxy`; null where it is none. Without a port it is 80, as of every http address. */
export function readProxy(text: string): ProxySetting | null {
  if (text === 'system') return text;
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || url.hostname === '' || url.port === '0') return null;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return null;
  const user = decoded(url.username);
  const password = decoded(url.password);
  // A colon ends the user (RFC 7617, 2).
  if (user === null || password === null || user.includes(':')) return null;
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    credentials: user === '' && password === '' ? null : new Secret(`${user}:${password}`),
  };
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach a header
    return /[\x00-\x1f\x7f]/.test(plain) ? null : plain;
  } catch {
    return null;
  }
}

/** `http://host:port`, without user and password: fit for logs and the status (rule 23). */
export function proxyName({ hostname, port }: Pick<ProxyAddress, 'hostname' | 'port'>): string {
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
}
