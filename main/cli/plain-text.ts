/**
 * Foreign text for a terminal: on one line, without control characters, escapes and marks that turn the direction
 * of writing. Longer than `most` characters it is cut.
 */
export function plainText(text: string, most = 200): string {
  // More than is kept is not looked at: a message may be long.
  const words = [...text.slice(0, most * 4).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')];
  return words.length <= most ? words.join('') : `${words.slice(0, most - 1).join('')}…`;
}

/** JSON whose texts hold nothing that a terminal would obey; it reads back as the same value. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
