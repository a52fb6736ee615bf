import type { OverlayLanguage } from '../shared/admin';

/** The same words in every language. */
type Both<T> = Readonly<Record<OverlayLanguage, T>>;
/** A table of such words in one language. */
type Spoken<T> = string extends keyof T
  ? Readonly<Record<string, Spoken<T[keyof T]>>>
  : T extends Both<infer Words>
    ? Words
    : { readonly [Key in keyof T]: Spoken<T[Key]> };

export function both<T>(en: T, de: NoInfer<T>): Both<T> {
  return { en, de };
}

type Gaps<
  Text,
  Words extends readonly (string | number)[] = [],
> = Text extends `${string}{${string}}${infer Rest}`
  ? Gaps<Rest, readonly [...Words, string | number]>
  : Words;

/** Numbers as the language writes them: `12,345` or `12.345`. */
const written = (word: string | number | undefined, language: OverlayLanguage) =>
  typeof word === 'number' ? new Intl.NumberFormat(language).format(word) : String(word);

/** Words with gaps, `{n} plays`, that take one word or number for each gap, in order. */
export function template<En extends string>(en: En, de: string): Both<(...words: Gaps<En>) => string> {
  const fill =
    (text: string, language: OverlayLanguage) =>
    (...words: readonly (string | number)[]) => {
      const left = [...words];
      return text.replaceAll(/\{\w+\}/g, () => written(left.shift(), language));
    };
  return both(fill(en, 'en'), fill(de, 'de'));
}

type Counted = readonly [one: string, other: string];

/** Words for one, and words for any other number, which replaces `{n}`. */
export function plural(en: Counted, de: Counted) {
  const say = ([one, other]: Counted, language: OverlayLanguage) => {
    return (n: number) => (n === 1 ? one : other.replace('{n}', written(n, language)));
  };
  return both(say(en, 'en'), say(de, 'de'));
}

/** A table by code, from one whose keys are all codes with the same words, separated by spaces. */
export function byCode<Words>(byCodes: Readonly<Record<string, Words>>): Readonly<Record<string, Words>> {
  return Object.fromEntries(
    Object.entries(byCodes).flatMap(([codes, words]) => codes.split(' ').map((code) => [code, words])),
  );
}

/** The words of a table, whose leaves are `both`, in one language. */
function inLanguage<T extends object>(table: T, language: OverlayLanguage): Spoken<T> {
  const words = Object.entries(table).map(([key, value]) => [
    key,
    language in value ? value[language] : inLanguage<object>(value, language),
  ]);
  return Object.fromEntries(words);
}

/** The words of one page or part: a function that returns them in a language. */
export function pageWords<T extends object>(
  table: T,
): (of: { readonly language: OverlayLanguage }) => Spoken<T> {
  const words = both(inLanguage(table, 'en'), inLanguage(table, 'de'));
  return ({ language }) => words[language];
}
