const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Which way the first letter of the texts runs; left to right where there is none. */
export function textDirection(...texts: ReadonlyArray<string | null>): 'ltr' | 'rtl' {
  for (const text of texts) {
    const letter = FIRST_LETTER.exec(text ?? '')?.[0];
    if (letter !== undefined) return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
  }
  return 'ltr';
}
