import { describe, expect, it } from 'vitest';
import { readContext, readSignal } from './signal-bodies';
import type { SignalKind } from './signal-kinds';

function saidBy(kind: SignalKind, body: unknown): unknown {
  const reading = readSignal(kind, body);
  return reading.ok ? reading.signal.value : reading.error;
}

function errorOf(kind: SignalKind, body: unknown) {
  const reading = readSignal(kind, body);
  return reading.ok ? null : reading.error;
}

describe('the body of a shopper signal', () => {
  it('counts the listed people if it has no group size', () => {
    expect(
      saidBy('shopper', { people: [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_MALE' }, {}] }),
    ).toEqual({
      people: [
        { ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_MALE' },
        { ageRange: null, gender: 'GENDER_UNKNOWN' },
      ],
      groupSize: 2,
    });
  });

  it.each([[{ people: [], groupSize: 4 }], [{ groupSize: 4 }]])(
    'reports a shopper if people are counted but none is listed: %j',
    (body) => {
      expect(saidBy('shopper', body)).toEqual({ people: [], groupSize: 4 });
    },
  );

  it.each([[{}], [{ people: [] }], [{ groupSize: 0 }], [{ people: [], groupSize: 0 }]])(
    'reports no shopper if none is listed or counted: %j',
    (body) => {
      expect(saidBy('shopper', body)).toBeNull();
    },
  );

  it('passes on the activation that the sensor names, up to 200 characters', () => {
    const activationId = 'a'.repeat(200);
    expect(saidBy('shopper', { groupSize: 1, activationId })).toEqual({
      people: [],
      groupSize: 1,
      activationId,
    });
    for (const wrong of ['', 'a'.repeat(201), 7, null]) {
      expect(readSignal('shopper', { groupSize: 1, activationId: wrong })).toMatchObject({ ok: false });
    }
  });

  it('keeps ages and genders it does not know', () => {
    expect(saidBy('shopper', { people: [{ ageRange: 'AGE_RANGE_100', gender: 'GENDER_NEW' }] })).toEqual({
      people: [{ ageRange: 'AGE_RANGE_100', gender: 'GENDER_NEW' }],
      groupSize: 1,
    });
  });
});

describe('the body of a weather signal', () => {
  it.each([
    [24.5, ['WEATHER_TYPE_ABOVE_20_CELSIUS']],
    [20.000001, ['WEATHER_TYPE_ABOVE_20_CELSIUS']],
    [20, []],
    [15, []],
    [10, []],
    [9.99, ['WEATHER_TYPE_BELOW_10_CELSIUS']],
    [-90, ['WEATHER_TYPE_BELOW_10_CELSIUS']],
    [60, ['WEATHER_TYPE_ABOVE_20_CELSIUS']],
  ])('derives from %d °C: %j', (temperatureCelsius, types) => {
    expect(saidBy('weather', { temperatureCelsius })).toEqual({ types, temperatureCelsius });
  });

  it('keeps the types it was given, each once', () => {
    const types = ['WEATHER_TYPE_FOG', 'WEATHER_TYPE_ABOVE_20_CELSIUS'];
    expect(saidBy('weather', { types, temperatureCelsius: 30 })).toEqual({ types, temperatureCelsius: 30 });
  });
});

describe('times to live', () => {
  it.each([
    ['shopper', 10_000],
    ['cart', 600_000],
    ['weather', 10_800_000],
  ] as const)('of a %s default to %d ms', (kind, ttlMs) => {
    expect(readSignal(kind, {})).toMatchObject({ ok: true, signal: { ttlMs } });
  });

  it.each([0, -1, 86_401, Number.POSITIVE_INFINITY, Number.NaN, '10', null])('refuse %j', (ttlSeconds) => {
    expect(errorOf('cart', { ttlSeconds })).toMatchObject({ code: 'invalid-signal' });
  });

  it.each([0.5, 1, 86_400])('take %d seconds', (ttlSeconds) => {
    expect(readSignal('cart', { ttlSeconds })).toMatchObject({ signal: { ttlMs: ttlSeconds * 1000 } });
  });
});

it.each<[SignalKind, string, unknown]>([
  ['shopper', '50 people', { people: Array.from({ length: 50 }, () => ({})) }],
  ['shopper', 'a group of 1,000', { groupSize: 1_000 }],
  ['cart', '500 items', { items: Array.from({ length: 500 }, () => 'milk') }],
  ['cart', 'a text of 256 characters', { skus: ['x'.repeat(256)] }],
  ['weather', '50 types', { types: Array.from({ length: 50 }, (_, n) => `WEATHER_TYPE_${n}`) }],
])('the body of a %s signal may have %s', (kind, _what, body) => {
  expect(errorOf(kind, body)).toBeNull();
});

describe('a refused body', () => {
  const long = 'x'.repeat(257);
  it.each<[SignalKind, unknown, string]>([
    ['shopper', { people: [{}, {}], groupSize: 1 }, 'groupSize'],
    ['shopper', { groupSize: 1001 }, 'groupSize'],
    ['shopper', { groupSize: 1.5 }, 'groupSize'],
    ['shopper', { groupSize: -1 }, 'groupSize'],
    ['shopper', { people: Array.from({ length: 51 }, () => ({})) }, 'people'],
    ['shopper', { people: [{ gender: 3 }] }, 'people[0].gender'],
    ['shopper', { people: [{ ageRange: '' }] }, 'people[0].ageRange'],
    ['shopper', { people: 'two' }, 'people'],
    ['cart', { skus: [long] }, 'skus[0]'],
    ['cart', { items: Array.from({ length: 501 }, () => 'x') }, 'items'],
    ['weather', { temperatureCelsius: 60.1 }, 'temperatureCelsius'],
    ['weather', { temperatureCelsius: -90.1 }, 'temperatureCelsius'],
    ['weather', { types: [1] }, 'types[0]'],
    ['weather', { types: Array.from({ length: 51 }, () => 'x') }, 'types'],
    ['cart', [], 'body'],
    ['cart', null, 'body'],
    ['cart', 'text', 'body'],
  ])('(%s %j) names the field: %s', (kind, body, field) => {
    const error = errorOf(kind, body);
    expect(error?.code).toBe('invalid-signal');
    expect(error?.message.startsWith(`${field}:`)).toBe(true);
  });

  it.each<[SignalKind, string, string]>([
    ['shopper', '{"faces":1}', 'unknown field "faces"'],
    ['shopper', '{"people":[{"name":"Jo"}]}', 'people[0]: unknown field "name"'],
    ['cart', '{"__proto__":{}}', 'unknown field "__proto__"'],
    ['weather', '{"toString":1}', 'unknown field "toString"'],
  ])('(%s %s) names the fields it does not know', (kind, body, message) => {
    expect(errorOf(kind, JSON.parse(body))).toEqual({ code: 'unknown-field', message });
  });

  it('names a few of very many unknown fields, and the beginning of very long ones', () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${'k'.repeat(100)}${i}`, 1]));
    const error = errorOf('cart', many);
    expect(error?.message).toMatch(/and 2995 more$/);
    expect(error?.message.length).toBeLessThan(500);
  });

  it('names a few of very many errors', () => {
    const error = errorOf('cart', { items: Array.from({ length: 500 }, () => 1) });
    expect(error?.message).toMatch(/; 495 more errors$/);
  });

  it('never has its values repeated in the error', () => {
    const said = 'GENDER_SECRET';
    const bodies: Array<[SignalKind, unknown]> = [
      ['shopper', { people: [{ gender: said.repeat(30) }] }],
      ['shopper', { people: said }],
      ['cart', { skus: [said], ttlSeconds: -1 }],
      ['weather', said],
    ];
    for (const [kind, body] of bodies) {
      const error = errorOf(kind, body);
      expect(error).not.toBeNull();
      expect(error?.message).not.toContain(said);
    }
  });
});

describe('a context document', () => {
  it('holds the bodies of the signals', () => {
    expect(
      readContext({
        shopper: { people: [{ gender: 'GENDER_FEMALE' }], ttlSeconds: 10 },
        cart: null,
        weather: { temperatureCelsius: 5 },
      }),
    ).toEqual({
      ok: true,
      context: {
        shopper: { people: [{ ageRange: null, gender: 'GENDER_FEMALE' }], groupSize: 1 },
        cart: null,
        weather: { types: ['WEATHER_TYPE_BELOW_10_CELSIUS'], temperatureCelsius: 5 },
      },
    });
  });

  it.each([
    [{ wether: {} }, 'unknown field "wether"'],
    [{ cart: { sku: [] } }, 'cart: unknown field "sku"'],
    [[], 'body: '],
    ['text', 'body: '],
  ])('is refused with the path of the error: %j', (document, message) => {
    const reading = readContext(document);
    expect(reading.ok).toBe(false);
    expect(!reading.ok && reading.message.startsWith(message)).toBe(true);
  });
});
