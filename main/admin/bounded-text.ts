/** A text cut to so many characters, with an ellipsis where something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a surrogate pair is no character.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function cutOrNull(text: string | null, most: number): string | null {
  return text === null ? null : cut(text, most);
}
