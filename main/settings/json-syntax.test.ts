import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, repeatedNames } from './json-syntax';

test.each([
  ['', 1, 1, 'the file is empty'],
  ['{"a": 1', 1, 8, '"," or "}"'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}"'],
  ['{\r\n  "a": 1,\r\n}', 3, 1, 'no comma after it'],
  ['{"a": [1, 2,]}', 1, 13, 'no comma after it'],
  ['{a: 1}', 1, 2, 'in double quotes'],
  ["{'a': 1}", 1, 2, 'in double quotes'],
  ['{"a" 1}', 1, 6, '":"'],
  ['{"a": s3cret}', 1, 7, 'text stands in double quotes'],
  ['{"a": "s3cret}', 1, 15, 'quotation mark'],
  ['{"a": "s3\ncret"}', 1, 10, 'quotation mark'],
  ['{"a": "C:\\secret"}', 1, 10, 'backslash'],
  ['{"a": 1} // done', 1, 10, 'no comment'],
  ['{ /* hi */ }', 1, 3, 'no comment'],
  ['{"a": 01}', 1, 8, '"," or "}"'],
  ['{"a": "b"", "c": 1}', 1, 10, '"," or "}"'],
  ['{"a": 1.}', 1, 7, 'a value'],
  ['{"a": truely}', 1, 7, 'a value'],
  ['{"a": 1}}', 1, 9, 'end of the file'],
  ['\uFEFF{"a" 1}', 1, 6, '":"'],
  ['['.repeat(500_000), 1, 201, 'levels'],
  // UTF-16 with and without its mark, read as UTF-8.
  ['\uFFFD\uFFFD{\0"\0a\0"\0', 1, 1, 'text in UTF-8'],
  ['{\0"\0a\0"\0', 1, 2, 'text in UTF-8'],
])('%#: %j', (text, line, column, words) => {
  const result = parseJson(text);
  expect(result).toMatchObject({
    kind: 'error',
    error: { line, column, expected: expect.stringContaining(words) },
  });
  expect(JSON.stringify(result)).not.toContain('s3cret');
});

test('every text that JSON.parse accepts is accepted, with or without a byte order mark', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, mark) => {
      expect(parseJson(mark ? `\uFEFF${text}` : text)).toEqual({ kind: 'value', value: JSON.parse(text) });
    }),
  );
});

test('every text that JSON.parse rejects has an error with a position within the text', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('§', '"', '{', ']', ',', '\\', '\n', '1', ''))
    .map(([text, at, junk]) => {
      const cut = at % (text.length + 1);
      // Either junk in the middle, or the end is missing.
      return junk === '' ? text.slice(0, cut) : text.slice(0, cut) + junk + text.slice(cut);
    });
  fc.assert(
    fc.property(broken, (text) => {
      const result = parseJson(text);
      if (result.kind === 'value') return;
      const lines = text.split('\n');
      const { line, column, expected } = result.error;
      expect(line).toBeLessThanOrEqual(lines.length);
      expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
      const position = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + column - 1;
      // A parser that accepts more than JSON.parse would reach the end and report that.
      expect(position < text.length || expected !== 'the end of the file').toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}', []],
  ['{"a": 1, "a": 2, "a": 3}', ['a']],
  ['{"p": {"mon": "07:00-12:00", "mon": "14:00-18:00"}, "l": [{}, {"x": 1, "x": 1}]}', ['p.mon', 'l[1].x']],
  ['\uFEFF{"a": {"b": 1}, "a": {"b": 2}}', ['a']],
  ['"a"', []],
])('%#: the names that an object of %s has twice', (text, names) => {
  expect(repeatedNames(text)).toEqual(names);
});

test('an object has no name twice that was written from a value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(repeatedNames(JSON.stringify(JSON.parse(text)))).toEqual([]);
    }),
  );
});
