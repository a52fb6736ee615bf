import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type JsonValue } from './canonical-json';

/** RFC 8785, slow and obvious: members one by one, the smallest name by UTF-16 code units first. */
function oracle(value: JsonValue): string {
  if (Array.isArray(value)) {
    let text = '[';
    for (const [index, item] of value.entries()) text += (index === 0 ? '' : ',') + oracle(item);
    return `${text}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const left = new Map(Object.entries(value));
  const members: string[] = [];
  while (left.size > 0) {
    let smallest: string | null = null;
    for (const name of left.keys()) if (smallest === null || isBefore(name, smallest)) smallest = name;
    members.push(`${JSON.stringify(smallest)}:${oracle(left.get(smallest ?? '') ?? null)}`);
    left.delete(smallest ?? '');
  }
  return `{${members.join(',')}}`;
}

function isBefore(one: string, other: string): boolean {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one.charCodeAt(at) || -1) - (other.charCodeAt(at) || -1);
    if (at >= one.length || at >= other.length) return one.length < other.length;
    if (difference !== 0) return one.charCodeAt(at) < other.charCodeAt(at);
  }
  return false;
}

const text = fc.string({ unit: 'binary' });
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 5 }),
  ),
})).json;

test('canonical JSON follows RFC 8785 and keeps the value', () => {
  fc.assert(
    fc.property(json, (value) => {
      const canonical = canonicalJson(value);
      expect(canonical).toBe(oracle(value));
      expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
    }),
  );
});

test('canonical JSON does not depend on the order of members', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, fc.integer()), { maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (members, keys) => {
        const once = Object.fromEntries(new Map(members));
        const shuffled = Object.entries(once)
          .map((member) => ({ member, key: keys.next().value }))
          .sort((one, other) => one.key - other.key)
          .map(({ member }) => member);
        expect(canonicalJson(Object.fromEntries(shuffled))).toBe(canonicalJson(once));
      },
    ),
  );
});

test('canonical JSON matches the examples of RFC 8785', () => {
  const value = {
    numbers: JSON.parse('[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0]'),
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  expect(Object.values(JSON.parse(canonicalJson(names).replaceAll('"1"', '"one"')))).toEqual([
    2, 4, 6, 7, 1, 5, 3,
  ]);
});

test.each([
  ['a number that is not finite', Number.NaN],
  ['an infinite number', Number.POSITIVE_INFINITY],
  ['a lone surrogate', 'a\ud800b'],
])('canonical JSON refuses %s', (_name, value) => {
  expect(() => canonicalJson({ value })).toThrow(TypeError);
});
