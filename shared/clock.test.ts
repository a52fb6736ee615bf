import fc from 'fast-check';
import { expect, it } from 'vitest';
import { instant } from './clock';

it('writes any number as RFC 3339', () => {
  fc.assert(
    fc.property(fc.double(), (at) => {
      expect(instant(at)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }),
  );
});

it.each([
  [Date.UTC(2026, 10, 20, 9, 30), '2026-11-20T09:30:00.000Z'],
  [Date.parse('Fri, 12 Sep 275760 23:59:59 GMT'), '9999-12-31T23:59:59.999Z'],
  [Number.POSITIVE_INFINITY, '9999-12-31T23:59:59.999Z'],
  [Number.NEGATIVE_INFINITY, '0000-01-01T00:00:00.000Z'],
  [Number.NaN, '1970-01-01T00:00:00.000Z'],
])('%d is %s', (at, text) => expect(instant(at)).toBe(text));
