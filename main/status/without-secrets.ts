/** A URL fit to be read aloud: no user, no query, no fragment (signed media URLs carry keys there; rule 23). */
export function withoutSecrets(url: string): string {
  const [address = '', ...rest] = url.split(/[?#]/);
  const plain = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return rest.length > 0 ? `${plain}?…` : plain;
}
