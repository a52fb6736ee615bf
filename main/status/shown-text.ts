/** A URL for display, without user, query and fragment: signed media URLs have keys there (rule 23). */
export function withoutSecrets(url: string): string {
  const [address = '', ...rest] = url.split(/[?#]/);
  const plain = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return rest.length > 0 ? `${plain}?…` : plain;
}

/** A text with its addresses as `withoutSecrets` shows them. The bound makes it linear in long words (rule 31). */
export const addressesPlain = (text: string) =>
  text.replace(/[a-z][a-z0-9+.-]{0,31}:\/\/[^\s'"<>]+/gi, withoutSecrets);

/** Longest address in the log that a page tried to go to, UTF-16 code units: a page chooses it. */
const MAX_ATTEMPTED = 300;

/**
 * An address that a page tried to go to, for the log. Of a scheme that leads to an app (`mailto:`, `sms:`) only the
 * scheme: pages put behind it what a shopper typed.
 */
export const attemptedAddress = (url: string): string =>
  /^(?:https?|endcap):\/\//i.test(url)
    ? withoutSecrets(url.slice(0, MAX_ATTEMPTED))
    : (/^[a-z][a-z0-9+.-]{0,31}:/i.exec(url)?.[0] ?? '…');
