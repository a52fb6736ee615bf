import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainJson, plainText } from './command-result';

const anyText = fc.string({ unit: 'binary', maxLength: 100 });

describe('foreign text for a terminal', () => {
  it.each([
    ['a\u001b[2Jb', 'a [2Jb'],
    ['a\u009b31mb', 'a 31mb'],
    ['line\r\nline', 'line line'],
    ['right\u202eleft', 'right left'],
    ['Überschrift 日本', 'Überschrift 日本'],
  ])('%j becomes %j', (text, plain) => expect(plainText(text)).toBe(plain));

  it('holds no control character and is never longer than asked', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, most) => {
        const plain = plainText(text, most);
        expect(plain).not.toMatch(/\p{C}/u);
        expect([...plain].length).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('is the same value in JSON, without control characters', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (value) => {
        const json = plainJson(value);
        expect(json).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(json)).toEqual(value);
      }),
    );
  });
});
