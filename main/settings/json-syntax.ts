import { type ParseErrorCode, visit } from 'jsonc-parser';
import { pathText } from './json-values';

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

/** Where JSON has an error, and what was expected there, for a message. */
export const syntaxErrorText = ({ line, column, expected }: ReturnType<typeof locateError>): string =>
  `line ${line}, column ${column}: expected ${expected}`;

/**
 * The names that an object of a JSON text has more than once, as messages name settings. `JSON.parse` keeps the last
 * value without a word.
 */
export function repeatedNames(text: string): string[] {
  const repeated = new Set<string>();
  /** The names of each open object. */
  const open: Set<string>[] = [];
  visit(text.replace(/^\uFEFF/, ''), {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectEnd: () => {
      open.pop();
    },
    onObjectProperty: (name, _offset, _length, _line, _column, pathOf) => {
      const names = open.at(-1);
      if (names?.has(name)) repeated.add(pathText([...pathOf(), name]));
      names?.add(name);
    },
  });
  return [...repeated];
}

/**
 * Whether a text that was read as UTF-8 was saved in another encoding: what is not UTF-8 is read as U+FFFD, and UTF-16
 * has a zero in each letter.
 */
export const isOtherEncoding = (text: string): boolean => text.includes('\uFFFD') || text.includes('\0');

/**
 * Stops the parser at its first error. Otherwise it would read on: 40 ms for 64 KiB of brackets, because it calls
 * itself for each of them, and garbage collection looks through all of these calls.
 */
class Unexpected extends Error {
  constructor(
    readonly position: number,
    readonly expected: string,
  ) {
    super(expected);
  }
}

/** Far more levels than any settings have, and few enough for the stack. */
const MAX_DEPTH = 200;
const VALUE = 'a value (text stands in double quotes)';
const NAME = 'a setting name in double quotes';
const UTF_8 = 'text in UTF-8, but the file has another encoding';
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
  /** The closing bracket of each open object and array. */
  const ends: Array<'}' | ']'> = [];
  let expected = VALUE;
  let isAfterComma = false;

  const expect = (words: string, afterComma = false): void => {
    expected = words;
    isAfterComma = afterComma;
  };
  const begin = (end: '}' | ']', position: number): void => {
    if (ends.push(end) > MAX_DEPTH) throw new Unexpected(position, `at most ${MAX_DEPTH} levels of brackets`);
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
  const onError = (code: ParseErrorCode, offset: number): never => {
    if (code === COMMENT) throw new Unexpected(offset, 'no comment (JSON has none)');
    if (IN_STRING.includes(code) && (expected === VALUE || expected === NAME)) {
      GOOD_STRING.lastIndex = offset;
      const position = offset + (GOOD_STRING.exec(source)?.[0].length ?? 0);
      throw new Unexpected(
        position,
        source.charAt(position) === '\\'
          ? 'a known escape after "\\" (a backslash in a Windows path is written twice)'
          : 'the quotation mark that ends the text, on the same line',
      );
    }
    if (source.trim() === '') throw new Unexpected(offset, 'a JSON object, but the file is empty');
    const end = ends.at(-1);
    const what = end === '}' ? 'a setting' : 'a value';
    throw new Unexpected(
      offset,
      isAfterComma && source.charAt(offset) === end
        ? `${what} after "," (the last one has no comma after it)`
        : expected,
    );
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
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    const before = source.slice(0, error.position);
    const lineStart = before.lastIndexOf('\n') + 1;
    return {
      line: before.split('\n').length,
      column: error.position - lineStart + 1,
      expected: isOtherEncoding(source.charAt(error.position)) ? UTF_8 : error.expected,
    };
  }
  return { line: 1, column: 1, expected: 'a JSON object' };
}
