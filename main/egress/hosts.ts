/** Ports of the schemes that ads may use. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};

/** Null for a scheme that ads may not use. */
export function portOf(url: URL): number | null {
  const byDefault = DEFAULT_PORTS[url.protocol];
  if (byDefault === undefined) return null;
  return url.port === '' ? byDefault : Number(url.port);
}

/** Without the trailing dot that makes a name absolute: it is the same host. */
export const bareHost = (url: URL) => url.hostname.replace(/\.$/, '');
export const hostAndPort = (url: URL) => `${bareHost(url)}:${portOf(url)}`;

/** An entry of `network.allowPrivateHosts`, spelt as `URL` spells hosts: lower case, literals in one form. */
export function normalEntry(entry: string): string {
  const { host, port } = partsOf(entry);
  return port === undefined ? host : `${host}:${Number(port)}`;
}

/** The hosts that the operator names in the settings, whatever their port, without a trailing dot. */
export function operatorHosts(
  serviceUrls: readonly string[],
  allowPrivateHosts: readonly string[],
): ReadonlySet<string> {
  return new Set([
    ...serviceUrls.map((url) => bareHost(new URL(url))),
    ...allowPrivateHosts.map((entry) => partsOf(entry).host),
  ]);
}

function partsOf(entry: string): { host: string; port: string | undefined } {
  const port = /:(\d+)$/.exec(entry.replace(/^\[.*?\]/, ''))?.[1];
  const url = URL.parse(`http://${entry}`);
  return { host: url === null ? entry.toLowerCase() : bareHost(url), port };
}

/**
 * Domains of local networks, by standard (RFC 6761, 6762, 8375, ICANN's `internal`) or by common use; the hosts
 * file of many systems has `localhost.localdomain` for this machine.
 */
const LOCAL_DOMAINS: readonly string[] = [
  'localhost',
  'localdomain',
  'localdomain6',
  'local',
  'internal',
  'home.arpa',
  'lan',
  'home',
  'corp',
  'intranet',
  'private',
];

/**
 * Whether the spelling of a name is that of a local network: a single label, or a name below a local domain.
 * For names that only a proxy can resolve (rule 22).
 *
 * @param hostname of a URL: lower case
 */
export function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (!name.includes('.')) return true;
  return LOCAL_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}
