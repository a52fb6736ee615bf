/** Where and why a text is no JSON. Line and column count from 1, columns in UTF-16 units. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** The words after "expected"; never a piece of the text itself, which may hold a secret. */
  readonly expected: string;
}

export type ParsedJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: JsonFault };

/**
 * `JSON.parse` with a place for its fault. The engine's own message is not
 * used: it quotes the text around the fault, and that may be the client secret.
 * A byte order mark, which Windows editors add, is skipped.
 */
export function parseJson(text: string): ParsedJson {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return { kind: 'value', value: JSON.parse(source) };
  } catch {
    return { kind: 'fault', fault: locateFault(source) };
  }
}

class Unexpected extends Error {
  constructor(
    readonly position: number,
    readonly expected: string,
  ) {
    super(expected);
  }
}

/** Far beyond any settings, and far from the end of the stack. */
const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING_PART = /[^"\\\p{Cc}]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\u007f-\u009f]+/uy;

function locateFault(source: string): JsonFault {
  let position = 0;
  let depth = 0;

  const fail = (expected: string): never => {
    throw new Unexpected(position, expected);
  };
  const skipSpace = (): void => {
    while (/[ \t\r\n]/.test(source.charAt(position)) && position < source.length) position += 1;
    if (source.startsWith('//', position) || source.startsWith('/*', position)) {
      fail('no comment (JSON has none)');
    }
  };
  const string = (): void => {
    position += 1;
    while (source.charAt(position) !== '"') {
      STRING_PART.lastIndex = position;
      const part = STRING_PART.exec(source);
      if (part === null) {
        fail(
          source.charAt(position) === '\\'
            ? 'a known escape after "\\" (a backslash in a Windows path is written twice)'
            : 'the quotation mark that ends the text, on the same line',
        );
      } else {
        position += part[0].length;
      }
    }
    position += 1;
  };
  const items = (end: string, item: () => void, what: string): void => {
    depth += 1;
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} levels of brackets`);
    position += 1;
    skipSpace();
    if (source.charAt(position) === end) {
      position += 1;
      depth -= 1;
      return;
    }
    for (;;) {
      item();
      skipSpace();
      const next = source.charAt(position);
      if (next !== ',' && next !== end) fail(`"," or "${end}"`);
      position += 1;
      if (next === end) {
        depth -= 1;
        return;
      }
      skipSpace();
      if (source.charAt(position) === end) fail(`${what} after "," (the last one has no comma after it)`);
    }
  };
  const member = (): void => {
    if (source.charAt(position) !== '"') fail('a setting name in double quotes');
    string();
    skipSpace();
    if (source.charAt(position) !== ':') fail('":" after the setting name');
    position += 1;
    skipSpace();
    value();
  };
  const word = (): void => {
    const known = ['true', 'false', 'null'].find((name) => source.startsWith(name, position));
    NUMBER.lastIndex = position;
    const found = known ?? NUMBER.exec(source)?.[0];
    if (found === undefined) fail('a value (text stands in double quotes)');
    else position += found.length;
  };
  const element = (): void => {
    skipSpace();
    value();
  };
  const value = (): void => {
    const first = source.charAt(position);
    if (first === '{') items('}', member, 'a setting');
    else if (first === '[') items(']', element, 'a value');
    else if (first === '"') string();
    else word();
  };

  try {
    skipSpace();
    if (position >= source.length) fail('a JSON object, but the file is empty');
    value();
    skipSpace();
    fail('the end of the file');
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    const before = source.slice(0, error.position);
    const lineStart = before.lastIndexOf('\n') + 1;
    return {
      line: before.split('\n').length,
      column: error.position - lineStart + 1,
      expected: error.expected,
    };
  }
  return { line: 1, column: 1, expected: 'a JSON object' };
}
