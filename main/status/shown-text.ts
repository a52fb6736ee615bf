/** A URL for display, without user, query and fragment: signed media URLs have keys there (rule 23). */
export function withoutSecrets(url: string): string {
  const [address = '', ...rest] = url.split(/[?#]/);
  const plain = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1');
  return rest.length > 0 ? `${plain}?…` : plain;
}

/** A text of at most `most` characters; an ellipsis stands for the rest. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function cutOrNull(text: string | null, most: number): string | null {
  return text === null ? null : cut(text, most);
}
