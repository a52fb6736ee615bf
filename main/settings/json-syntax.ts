import { type ParseErrorCode, visit } from 'jsonc-parser';

/**
 * `JSON.parse` with the place of the error. The engine's own message is not used: it quotes the text around
 * the error, which may be the client secret. A byte order mark, which Windows editors add, is skipped.
 */
export function parseJson(text: string) {
  const source = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(source);
    return { kind: 'value', value } as const;
  } catch {
    return { kind: 'error', error: locateError(source) } as const;
  }
}

/** Far more levels than any settings have, and few enough for the stack. */
const MAX_DEPTH = 200;
const VALUE = 'a value (text stands in double quotes)';
const NAME = 'a setting name in double quotes';
/** Matches a string up to its end or to the first character that is not allowed in it. */
const GOOD_STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy;
/** Values of `const enum ParseErrorCode`, which cannot be imported under `isolatedModules`. */
const COMMENT: ParseErrorCode = 10;
const IN_STRING: readonly ParseErrorCode[] = [12, 14, 15, 16];

/**
 * The first error that the parser finds: its line and column, from 1, in UTF-16 units, and the words after "expected",
 * which are never a piece of the text, because that may hold a secret.
 */
function locateError(source: string) {
  const errors: Array<{ readonly position: number; readonly expected: string }> = [];
  /** The closing bracket of each open object and array. */
  const ends: Array<'}' | ']'> = [];
  let expected = VALUE;
  let isAfterComma = false;

  const note = (position: number, words: string): void => {
    if (errors.length === 0) errors.push({ position, expected: words });
  };
  const expect = (words: string, afterComma = false): void => {
    expected = words;
    isAfterComma = afterComma;
  };
  const begin = (end: '}' | ']', position: number): void => {
    if (ends.push(end) > MAX_DEPTH) note(position, `at most ${MAX_DEPTH} levels of brackets`);
    expect(end === '}' ? NAME : VALUE);
  };
  const afterValue = (): void => {
    const end = ends.at(-1);
    expect(end === undefined ? 'the end of the file' : `"," or "${end}"`);
  };
  const close = (position: number): void => {
    // At the end of the file the parser closes open brackets itself before it reports the error.
    if (position >= source.length) return;
    ends.pop();
    afterValue();
  };
  const onError = (code: ParseErrorCode, offset: number) => {
    if (code === COMMENT) return note(offset, 'no comment (JSON has none)');
    if (IN_STRING.includes(code) && (expected === VALUE || expected === NAME)) {
      GOOD_STRING.lastIndex = offset;
      const position = offset + (GOOD_STRING.exec(source)?.[0].length ?? 0);
      const words =
        source.charAt(position) === '\\'
          ? 'a known escape after "\\" (a backslash in a Windows path is written twice)'
          : 'the quotation mark that ends the text, on the same line';
      return note(position, words);
    }
    if (source.trim() === '') return note(offset, 'a JSON object, but the file is empty');
    const end = ends.at(-1);
    const what = end === '}' ? 'a setting' : 'a value';
    const isLastComma = isAfterComma && source.charAt(offset) === end;
    note(offset, isLastComma ? `${what} after "," (the last one has no comma after it)` : expected);
  };

  try {
    visit(
      source,
      {
        onObjectBegin: (offset) => begin('}', offset),
        onObjectProperty: () => expect('":" after the setting name'),
        onObjectEnd: close,
        onArrayBegin: (offset) => begin(']', offset),
        onArrayEnd: close,
        onLiteralValue: afterValue,
        onSeparator: (character) =>
          character === ',' ? expect(ends.at(-1) === '}' ? NAME : VALUE, true) : expect(VALUE),
        onError,
      },
      { disallowComments: true },
    );
  } catch {
    // The brackets fill the parser's stack; that they are too many is noted.
  }
  const first = errors[0] ?? { position: 0, expected: 'a JSON object' };
  const before = source.slice(0, first.position);
  return {
    line: before.split('\n').length,
    column: first.position - before.lastIndexOf('\n'),
    expected: first.expected,
  };
}
