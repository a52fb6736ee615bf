/** A URL for display, without user, query and fragment: signed media URLs have keys there (rule 23). */
export function withoutSecrets(url: string): string {
  const [address = '', ...rest] = url.split(/[?#]/);
  const plain = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return rest.length > 0 ? `${plain}?…` : plain;
}

/** A text with its addresses as `withoutSecrets` shows them. The bound makes it linear in long words (rule 31). */
export const addressesPlain = (text: string) =>
  text.replace(/[a-z][a-z0-9+.-]{0,31}:\/\/[^\s'"<>]+/gi, withoutSecrets);
