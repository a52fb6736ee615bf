/** More does not fit beside the way back. */
const MAX_CHARACTERS = 38;

/**
 * The host of an address as a shopper should see it, or null where there is
 * none. A long one loses its beginning, never its end, which says whose it is.
 */
export function shownDomain(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/^www\.(?=.+\.)/, '');
  return host.length <= MAX_CHARACTERS ? host : `…${host.slice(1 - MAX_CHARACTERS)}`;
}
