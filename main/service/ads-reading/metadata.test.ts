import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdMetadata, type Audience, type TargetingCondition, UINT32_MAX } from '../../../shared/ad';
import { SERVICE_JSON_DEPTH } from '../../reading/json-depth';
import {
  MAX_ITEM_CHARACTERS,
  METADATA_LIMITS,
  type MetadataReading,
  readMetadata,
  readMetadataExtensions,
} from './metadata';

const nothingElse = {
  requestId: 'r',
  audience: null,
  campaignId: null,
  flightId: null,
  expiresAt: null,
  frequencyCaps: [],
  source: null,
  sourceId: null,
};

function readObject(object: unknown): MetadataReading {
  return readMetadata(JSON.stringify(object));
}

/** Reads the metadata `{ request_id: 'r', …fields }`; a text: why it was rejected. */
function read(fields: Record<string, unknown>): AdMetadata | string {
  const reading = readObject({ request_id: 'r', ...fields });
  return reading.kind === 'metadata' ? reading.metadata : `${reading.code}: ${reading.detail}`;
}

const caps = (frequencyCaps: unknown) => ({ frequency_caps: frequencyCaps });
const basket = (products: object) => ({ device: { basket: products } });
const list = (item: unknown, count: number) => Array.from({ length: count }, () => item);

function conditionOf(condition: unknown): unknown {
  const metadata = read({ audience: { targeting_groups: [{ conditions: [condition] }] } });
  return typeof metadata === 'string' ? metadata : metadata.audience?.groups[0]?.conditions[0];
}

describe('service metadata', () => {
  it('needs only a request id', () => {
    expect(read({})).toEqual(nothingElse);
  });

  it('ignores unknown keys at any place', () => {
    expect(
      read({
        new_key: { deep: [1] },
        frequency_caps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2, scope: 'STORE' }],
        audience: { targeting_groups: [], operator: 'AND' },
      }),
    ).toEqual({
      ...nothingElse,
      frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 }],
      audience: { groups: [] },
    });
  });

  it('keeps unknown strings', () => {
    expect(
      read({ source: 'SOURCE_TYPE_NEW', frequency_caps: [{ window: 'FORTNIGHT', limit: 1 }] }),
    ).toMatchObject({
      source: 'SOURCE_TYPE_NEW',
      frequencyCaps: [{ window: 'FORTNIGHT', limit: 1 }],
    });
    expect(conditionOf({ store: { weather_types: ['WEATHER_TYPE_FOG'] } })).toEqual({
      kind: 'weather',
      types: ['WEATHER_TYPE_FOG'],
    });
  });

  it('reads a missing number as zero', () => {
    expect(read({ frequency_caps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY' }, {}] })).toMatchObject({
      frequencyCaps: [
        { window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 0 },
        { window: '', limit: 0 },
      ],
    });
    expect(conditionOf({ demographic: { profiles: [{ group_size: {} }] } })).toEqual({
      kind: 'demographic',
      profiles: [{ ageRange: null, gender: null, groupSize: { operator: null, value: 0 } }],
    });
  });

  it.each([
    ['3.0', 3],
    ['3e0', 3],
    ['0', 0],
    ['4294967295', UINT32_MAX],
  ])('reads the number %s as the integer %i', (json, limit) => {
    const reading = readMetadata(`{"request_id":"r","frequency_caps":[{"window":"w","limit":${json}}]}`);
    expect(reading).toMatchObject({ metadata: { frequencyCaps: [{ window: 'w', limit }] } });
  });

  it('reads an expiry with any offset', () => {
    expect(read({ expires_at: '2026-01-31T12:00:00+02:00' })).toMatchObject({
      expiresAt: Date.UTC(2026, 0, 31, 10),
    });
  });

  it.each([
    ['an absent request id', { request_id: undefined }],
    ['an empty request id', { request_id: '' }],
    ['a null request id', { request_id: null }],
    ['a number for a request id', { request_id: 7 }],
    ['a request id without end', { request_id: 'x'.repeat(1_000_000) }],
    ['a request id with NUL in it', { request_id: 'a\u0000b' }],
    ['a request id with DEL in it', { request_id: 'a\u007fb' }],
    ['half a character in an id', { flight_id: '\ud800' }],
    ['a number for a flight id', { flight_id: 12 }],
    ['a flight id of 1,025 characters', { flight_id: 'x'.repeat(1_025) }],
    ['a flight id with a line break', { flight_id: 'a\nb' }],
    ['a number for an expiry', { expires_at: 1_767_225_600 }],
    ['an empty expiry', { expires_at: '' }],
    ['an impossible date', { expires_at: '2026-02-30T00:00:00Z' }],
    ['an object for caps', { frequency_caps: {} }],
    ['a null cap', { frequency_caps: [null] }],
    ['a string for a limit', { frequency_caps: [{ window: 'w', limit: '3' }] }],
    ['a negative limit', { frequency_caps: [{ window: 'w', limit: -1 }] }],
    ['half a limit', { frequency_caps: [{ window: 'w', limit: 1.5 }] }],
    ['a limit beyond 32 bits', { frequency_caps: [{ window: 'w', limit: UINT32_MAX + 1 }] }],
    ['a number for a window', { frequency_caps: [{ window: 1, limit: 1 }] }],
    ['10,000 caps', { frequency_caps: Array(10_000).fill({ window: 'w', limit: 1 }) }],
    ['a list for an audience', { audience: [] }],
    ['an object for targeting groups', { audience: { targeting_groups: {} } }],
    ['a null targeting group', { audience: { targeting_groups: [null] } }],
    ['a string for conditions', { audience: { targeting_groups: [{ conditions: 'all' }] } }],
    ['a null condition', { audience: { targeting_groups: [{ conditions: [null] }] } }],
  ])('%s rejects the ad', (_, fields) => {
    expect(read(fields)).toMatch(/^metadata-invalid: \S/);
  });

  it.each([
    ['profiles that are no list', { demographic: { profiles: {} } }],
    ['a number for an age range', { demographic: { profiles: [{ age_range: 25 }] } }],
    ['a number for a group size', { demographic: { profiles: [{ group_size: 2 }] } }],
    ['a fraction of a person', { demographic: { profiles: [{ group_size: { value: 1.5 } }] } }],
    ['fewer than no people', { demographic: { profiles: [{ group_size: { value: -1 } }] } }],
    ['more people than 32 bits count', { demographic: { profiles: [{ group_size: { value: 2 ** 32 } }] } }],
    ['a number for an operator', { demographic: { profiles: [{ group_size: { operator: 1, value: 1 } }] } }],
    ['a string for skus', { device: { basket: { skus: '123' } } }],
    ['a number among items', { device: { basket: { items: [1] } } }],
    ['a string for weather', { store: { weather_types: 'WEATHER_TYPE_SUNNY' } }],
  ])('%s in a condition rejects the ad', (_, condition) => {
    expect(conditionOf(condition)).toMatch(/^metadata-invalid: audience\.targeting_groups\.0\.conditions\.0/);
  });

  it('reads a null value as an absent key, at any place', () => {
    const whole = {
      request_id: 'r',
      campaign_id: 'c',
      flight_id: 'f',
      expires_at: '2026-01-31T12:00:00Z',
      frequency_caps: [{ window: 'w', limit: 3 }],
      source: 's',
      source_id: 'i',
      audience: {
        targeting_groups: [
          {
            conditions: [
              {
                demographic: {
                  profiles: [{ age_range: 'a', gender: 'g', group_size: { operator: 'o', value: 2 } }],
                },
              },
              { device: { basket: { skus: ['1'], items: ['i'] } } },
              { store: { weather_types: ['w'] } },
            ],
          },
        ],
      },
    };
    const paths: string[][] = [];
    const walk = (value: unknown, path: string[]): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const key of Object.keys(value)) {
        if (!Array.isArray(value)) paths.push([...path, key]);
        walk(value[key as keyof typeof value], [...path, key]);
      }
    };
    walk(whole, []);
    expect(paths.length).toBeGreaterThan(20);
    const at = (change: (parent: Record<string, unknown>, key: string) => void, path: readonly string[]) => {
      const copy: Record<string, unknown> = structuredClone(whole);
      let parent = copy;
      for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
      change(parent, path.at(-1) ?? '');
      return readMetadata(JSON.stringify(copy)).kind === 'metadata'
        ? readMetadata(JSON.stringify(copy))
        : 'rejected';
    };
    for (const path of paths) {
      const withNull = at((parent, key) => {
        parent[key] = null;
      }, path);
      const without = at((parent, key) => {
        delete parent[key];
      }, path);
      expect(withNull, path.join('.')).toEqual(without);
    }
  });

  it.each([
    ['campaign_id', 'campaignId'],
    ['source', 'source'],
    ['source_id', 'sourceId'],
  ] as const)('a %s that cannot be read counts as absent', (key, name) => {
    for (const value of [null, 7, {}, [], true, '', 'x'.repeat(1_025), 'a\u0000']) {
      expect(read({ [key]: value })).toEqual(nothingElse);
    }
    expect(read({ [key]: 'known' })).toEqual({ ...nothingElse, [name]: 'known' });
  });

  it('a source_id that is too long counts as absent, because the books keep it with every play', () => {
    const longest = 'x'.repeat(METADATA_LIMITS.sourceId);
    expect(read({ source_id: longest })).toEqual({ ...nothingElse, sourceId: longest });
    expect(read({ source_id: `${longest}x` })).toEqual(nothingElse);
  });

  it('an id may hold any characters but control characters', () => {
    expect(read({ flight_id: 'Herbst 🍂 №1' })).toEqual({ ...nothingElse, flightId: 'Herbst 🍂 №1' });
  });

  it('an empty flight id counts as absent, so no caps are counted for it', () => {
    expect(read({ flight_id: '' })).toEqual(nothingElse);
  });

  const conditions = (condition: unknown, count = 1) => ({
    audience: { targeting_groups: [{ conditions: list(condition, count) }] },
  });
  const groups = (count: number) => ({ audience: { targeting_groups: list({}, count) } });
  it.each<[string, number, (count: number) => Record<string, unknown>]>([
    ['characters of an id', 1_024, (count) => ({ flight_id: 'f'.repeat(count) })],
    ['characters of a window', METADATA_LIMITS.enumString, (count) => caps([{ window: 'w'.repeat(count) }])],
    ['caps', METADATA_LIMITS.frequencyCaps, (count) => caps(list({ window: 'w' }, count))],
    ['targeting groups', METADATA_LIMITS.targetingGroups, groups],
    ['conditions', METADATA_LIMITS.conditions, (count) => conditions({ store: {} }, count)],
    [
      'profiles',
      METADATA_LIMITS.profiles,
      (count) => conditions({ demographic: { profiles: list({}, count) } }),
    ],
    [
      'types of weather',
      METADATA_LIMITS.weatherTypes,
      (count) => conditions({ store: { weather_types: list('w', count) } }),
    ],
    [
      'characters of a SKU',
      METADATA_LIMITS.product,
      (count) => conditions(basket({ skus: ['s'.repeat(count)] })),
    ],
    [
      'characters of an item',
      METADATA_LIMITS.product,
      (count) => conditions(basket({ items: ['i'.repeat(count)] })),
    ],
    [
      // NFKC makes eighteen characters of the first ones.
      'characters of all items in NFKC form',
      MAX_ITEM_CHARACTERS,
      (count) => conditions(basket({ items: [...list('\ufdfa', 3_640), 'i'.repeat(count - 65_520)] })),
    ],
  ])('an ad may have a bounded number of %s: %d', (_, most, fields) => {
    expect(read(fields(most))).toMatchObject({ requestId: 'r' });
    expect(read(fields(most + 1))).toMatch(/^metadata-invalid: /);
  });

  it.each([
    ['no member', {}, 'no known member'],
    ['only members it does not know', { loyalty: { tier: 'gold' } }, 'no known member'],
    ['two members', { store: {}, device: {} }, 'several members: device, store'],
  ])('a condition with %s is kept as unreadable', (_, condition, detail) => {
    expect(conditionOf(condition)).toEqual({ kind: 'unreadable', detail });
  });

  it('a condition with one known member among unknown ones is that member', () => {
    expect(conditionOf({ store: { weather_types: [] }, loyalty: {} })).toEqual({
      kind: 'weather',
      types: [],
    });
  });

  it('keeps empty lists: they match no shopper', () => {
    expect(conditionOf({ demographic: {} })).toEqual({ kind: 'demographic', profiles: [] });
    expect(conditionOf({ device: {} })).toEqual({ kind: 'basket', skus: [], items: [] });
    expect(conditionOf({ store: {} })).toEqual({ kind: 'weather', types: [] });
    expect(read({ audience: {} })).toMatchObject({ audience: { groups: [] } });
    expect(read({ audience: { targeting_groups: [{}] } })).toMatchObject({
      audience: { groups: [{ conditions: [] }] },
    });
  });

  it.each([
    '',
    ' \n ',
    '{',
    '{}x',
    '[]',
    'null',
    '7',
    '"text"',
    '{"request_id":"r"',
    '{"request_id":"r","frequency_caps":[{"limit":1e999}]}',
    "{'request_id':'r'}",
    '\u0000',
  ])('the text %j is invalid', (text) => {
    expect(readMetadata(text)).toMatchObject({ kind: 'rejected', code: 'metadata-invalid' });
  });

  it('handles extremely deep nesting', () => {
    const deep = (json: string, levels = 100_000) => json.repeat(levels);
    for (const text of [
      deep('['),
      `${deep('[')}${deep(']')}`,
      `{"request_id":"r","audience":${deep('{"targeting_groups":[')}${deep(']}')}}`,
      `{"request_id":"r","frequency_caps":${deep('[', 1_000)}${deep(']', 1_000)}}`,
    ]) {
      expect(readMetadata(text)).toMatchObject({ kind: 'rejected', code: 'metadata-invalid' });
    }
  });

  it('is bounded in depth, in unknown keys too', () => {
    const text = (levels: number) => `{"request_id":"r","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(readMetadata(text(SERVICE_JSON_DEPTH - 1)).kind).toBe('metadata');
    expect(readMetadata(text(SERVICE_JSON_DEPTH))).toEqual({
      kind: 'rejected',
      code: 'metadata-invalid',
      detail: `nested deeper than ${SERVICE_JSON_DEPTH} levels`,
    });
  });

  it('is bounded in length', () => {
    const text = (length: number) => `{"request_id":"r","x":"${'x'.repeat(length - 25)}"}`;
    expect(text(METADATA_LIMITS.text)).toHaveLength(METADATA_LIMITS.text);
    expect(readMetadata(text(METADATA_LIMITS.text)).kind).toBe('metadata');
    expect(readMetadata(text(METADATA_LIMITS.text + 1)).kind).toBe('rejected');
  });

  it('never repeats a value in an error', () => {
    expect(read({ flight_id: 'secret\n', expires_at: 'secret' })).not.toMatch(/secret/);
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(metadata, (expected) => {
        expect(AdMetadata.parse(expected)).toEqual(expected);
        const reading = readObject(onTheWire(expected));
        expect(reading).toEqual({ kind: 'metadata', metadata: expected });
      }),
    );
  });

  it('never throws', () => {
    const keys = ['request_id', 'audience', 'expires_at', 'frequency_caps', 'flight_id', 'targeting_groups'];
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(...keys, 'conditions', 'demographic', '__proto__', 'constructor'),
          tie('value'),
        ),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          anything.map((value) => JSON.stringify(value) ?? ''),
        ),
        (text) => {
          expect(['metadata', 'rejected']).toContain(readMetadata(text).kind);
        },
      ),
    );
  });
});

describe('metadata extensions of an ad', () => {
  const one = '{"request_id":"1"}';

  it('are missing when there is none', () => {
    expect(readMetadataExtensions([])).toMatchObject({ kind: 'rejected', code: 'metadata-missing' });
  });

  it('may be repeated, but not contradict each other', () => {
    expect(readMetadataExtensions([one, ` ${one}\n`])).toMatchObject({ metadata: { requestId: '1' } });
    const other = '{"request_id":"2"}';
    for (const texts of [
      [one, other],
      [one, one, other],
    ])
      expect(readMetadataExtensions(texts)).toMatchObject({ code: 'metadata-invalid' });
  });
});

const id = fc.stringMatching(/^[ -~äöü]{1,40}$/);
const optionalId = fc.option(id);
const uint32 = fc.integer({ min: 0, max: UINT32_MAX });
const word = fc.string({ maxLength: 20 });

const metadata: fc.Arbitrary<AdMetadata> = fc.record({
  requestId: id,
  audience: fc.option(
    fc.record({
      groups: fc.array(
        fc.record({
          conditions: fc.array(
            fc.oneof(
              fc.record({
                kind: fc.constant('demographic' as const),
                profiles: fc.array(
                  fc.record({
                    ageRange: fc.option(word),
                    gender: fc.option(word),
                    groupSize: fc.option(fc.record({ operator: fc.option(word), value: uint32 })),
                  }),
                ),
              }),
              fc.record({
                kind: fc.constant('basket' as const),
                skus: fc.array(word),
                items: fc.array(word),
              }),
              fc.record({ kind: fc.constant('weather' as const), types: fc.array(word) }),
            ),
            { maxLength: 4 },
          ),
        }),
        { maxLength: 4 },
      ),
    }),
  ),
  campaignId: optionalId,
  flightId: optionalId,
  expiresAt: fc.option(fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000)),
  frequencyCaps: fc.array(fc.record({ window: word, limit: uint32 }), { maxLength: 8 }),
  source: optionalId,
  sourceId: optionalId,
});

/** As the service serialises it: without empty values and zeros. */
function onTheWire(of: AdMetadata): unknown {
  const given = (value: unknown) => value ?? undefined;
  return {
    request_id: of.requestId,
    audience: of.audience === null ? undefined : { targeting_groups: groupsOnTheWire(of.audience) },
    campaign_id: given(of.campaignId),
    flight_id: given(of.flightId),
    expires_at:
      of.expiresAt === null ? undefined : new Date(of.expiresAt).toISOString().replace('.000Z', 'Z'),
    frequency_caps: of.frequencyCaps.map(({ window, limit }) => ({ window, limit: limit || undefined })),
    source: given(of.source),
    source_id: given(of.sourceId),
  };
}

function groupsOnTheWire({ groups }: Audience): unknown {
  return groups.map(({ conditions }) => ({ conditions: conditions.map(conditionOnTheWire) }));
}

function conditionOnTheWire(condition: TargetingCondition): unknown {
  switch (condition.kind) {
    case 'demographic':
      return {
        demographic: {
          profiles: condition.profiles.map(({ ageRange, gender, groupSize }) => ({
            age_range: ageRange ?? undefined,
            gender: gender ?? undefined,
            group_size: groupSize
              ? { operator: groupSize.operator ?? undefined, value: groupSize.value || undefined }
              : undefined,
          })),
        },
      };
    case 'basket':
      return { device: { basket: { skus: condition.skus, items: condition.items } } };
    case 'weather':
      return { store: { weather_types: condition.types } };
    case 'unreadable':
      return {};
  }
}
