/** Domains that are of a local network by agreement (RFC 6761, 6762, 8375, ICANN's `internal`), or by wide habit. */
const LOCAL_DOMAINS: readonly string[] = [
  'localhost',
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
 * Whether a name is one of a local network by its spelling: a single label, or
 * below such a domain. For names that only a proxy can resolve (rule 22).
 */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (!name.includes('.')) return true;
  return LOCAL_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}

/** Whether a name is `localhost` or below it: this machine, whatever a name server says (RFC 6761, 6.3). */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}
