/** True for a host that cannot leave this machine: `localhost`, `*.localhost`, 127.0.0.0/8 and `::1`. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    host === '::1' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
  );
}

/** Tokens and secrets travel over `https`, or to this machine itself (rule 22). */
export function mayCarrySecrets(address: string | URL): boolean {
  const url = typeof address === 'string' ? new URL(address) : address;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

export function isSameHost(one: string, other: string): boolean {
  return new URL(one).hostname === new URL(other).hostname;
}

/**
 * What is wrong with a service's address, as the words after "expected", or
 * null when it is fine. The address may have a path, but nothing after it.
 */
export function addressExpectation(address: string): string | null {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return 'an http(s) address such as https://ads.example.com';
  }
  if (url.username !== '' || url.password !== '') return 'an address without a user name or password in it';
  if (url.search !== '' || url.hash !== '')
    return 'an address without "?" and "#" (parameters have their own setting)';
  return null;
}

/** One spelling for an address: host in lower case, default port dropped, no slash at the end. */
export function normalAddress(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
