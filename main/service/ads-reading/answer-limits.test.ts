import { describe, expect, it } from 'vitest';
import { timers } from '../../schedule';
import {
  MAX_ADS,
  MAX_CAP_MENTIONS,
  MAX_CAPS,
  MAX_SOURCES,
  MAX_TARGET_MENTIONS,
  MAX_TARGETS,
} from './answer-limits';
import { METADATA_LIMITS } from './metadata';
import { readAds } from './read-ads';
import { readResolvedAds } from './resolved-ads';

const HOUR = 'FREQUENCY_CAP_WINDOW_HOUR';

/** An ads response with one short ad for each of these metadata. */
const answer = (metadata: readonly object[], content = '<InLine/>') =>
  `<VAST version="4.2">${metadata
    .map((one) => {
      const json = JSON.stringify({ request_id: 'r', ...one });
      const extension = `<Extensions><Extension type="service-metadata"><![CDATA[${json}]]></Extension></Extensions>`;
      return `<Ad>${content.replace('/>', `>${extension}</${content.slice(1, -2)}>`)}</Ad>`;
    })
    .join('')}</VAST>`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const basket = (skus: readonly string[]) => ({
  audience: { targeting_groups: [{ conditions: [{ device: { basket: { skus } } }] }] },
});

describe('an answer', () => {
  it('may have up to the maximum number of ads, without the rejected ones', () => {
    const most = times(MAX_ADS, () => ({}));
    const rejected = times(10, () => ({ request_id: null }));
    expect(readAds(answer([...most, ...rejected]))).toMatchObject({ kind: 'ads', ads: { length: MAX_ADS } });
    expect(readAds(answer([...most, {}]))).toEqual({
      kind: 'unreadable',
      code: 'too-many-ads',
      message: `${MAX_ADS + 1} ads came, at most ${MAX_ADS} are taken of one answer`,
    });
  });

  it('may not have more ads with its wrappers', async () => {
    let asked = 0;
    const wrapped = `<VAST version="4.2">${'<Ad><InLine/></Ad>'.repeat(200)}</VAST>`;
    const wrapper =
      '<Wrapper allowMultipleAds="true"><VASTAdTagURI>https://ads.example/</VASTAdTagURI></Wrapper>';
    const document = answer(times(400, () => ({ flight_id: 'f' }))).replaceAll(/<(\/?)InLine>/g, (_, end) =>
      end === '' ? wrapper.replace('</Wrapper>', '') : '</Wrapper>',
    );
    const { readVast } = await import('./vast');
    const read = await readResolvedAds(document, {
      reading: { read: async (_name, text) => readAds(text as string) as never },
      leftMs: 120_000,
      wrappers: {
        async fetchDocument() {
          asked += 1;
          return { kind: 'document', text: wrapped };
        },
        readDocument: async (text, options) => readVast(text, options),
        schedule: timers,
      },
    });
    expect(read).toMatchObject({ kind: 'unreadable', code: 'too-many-ads' });
    expect(asked).toBeLessThan(MAX_ADS / 200 + 10);
  });

  it('may have a bounded amount of targeting, however many ads share it', () => {
    const lists = times(20, (list) => times(MAX_TARGETS / 20, (index) => `sku ${list} ${index}`));
    expect(readAds(answer(lists.map(basket)))).toMatchObject({ code: 'too-much-targeting' });
    const few = lists.slice(1).map(basket);
    expect(readAds(answer([...few, ...few]))).toMatchObject({ kind: 'ads', ads: { length: 38 } });
  });

  it('may have one audience of many groups in all its ads', () => {
    const groups = times(100, (index) => ({ conditions: [{ store: { weather_types: [`w${index}`] } }] }));
    const shared = times(1_000, () => ({ audience: { targeting_groups: groups } }));
    expect(readAds(answer(shared))).toMatchObject({ kind: 'ads', ads: { length: 1_000 } });
  });

  it.each<[string, number, (index: number) => object]>([
    ['profiles', 1_000, () => ({ demographic: { profiles: times(1_000, () => ({})) } })],
    ['types of weather', 250, () => ({ store: { weather_types: times(250, () => 'w') } })],
    ['SKUs', 5_000, () => ({ device: { basket: { skus: times(5_000, () => 's') } } })],
    ['items', 5_000, () => ({ device: { basket: { items: times(5_000, () => 'i') } } })],
  ])('counts the %s of each condition', (_, entries, condition) => {
    const having = (conditions: number) => ({
      audience: { targeting_groups: [{ conditions: times(conditions, condition) }] },
    });
    const tooMany = METADATA_LIMITS.targets / entries;
    expect(readAds(answer([having(tooMany - 1), having(tooMany)]))).toMatchObject({
      ads: { length: 1 },
      rejected: [{ code: 'metadata-invalid' }],
    });
  });

  it('may have a bounded amount of targeting in all ads, because each ad is copied with its own', () => {
    const list = basket(times(METADATA_LIMITS.targets - 2, (index) => `sku ${index}`));
    const most = times(MAX_TARGET_MENTIONS / METADATA_LIMITS.targets, () => list);
    expect(readAds(answer(most))).toMatchObject({ kind: 'ads', ads: { length: most.length } });
    expect(readAds(answer([...most, list]))).toEqual({
      kind: 'unreadable',
      code: 'too-much-targeting',
      message: expect.stringMatching(/^510000 .* at most 500000 are taken, equal ones included$/),
    });
  });

  it('may have a bounded amount of targeting per ad; only an ad with more is rejected', () => {
    const skus = (count: number) => basket(times(count, (index) => `sku ${index}`));
    const read = readAds(answer([skus(METADATA_LIMITS.targets - 2), skus(METADATA_LIMITS.targets - 1)]));
    expect(read).toMatchObject({ kind: 'ads', ads: { length: 1 }, rejected: [{ code: 'metadata-invalid' }] });
  });

  it('may have a bounded number of caps, with those of one flight counted once', () => {
    const caps = times(64, (index) => ({ window: HOUR, limit: index + 1 }));
    const flights = Math.floor(MAX_CAPS / 64);
    const capped = (flight: number) => ({ flight_id: `f${flight}`, frequency_caps: caps });
    const most = times(flights, capped);
    expect(readAds(answer([...most, capped(0)]))).toMatchObject({ ads: { length: flights + 1 } });
    expect(readAds(answer([...most, capped(flights)]))).toEqual({
      kind: 'unreadable',
      code: 'too-much-targeting',
      message: `${(flights + 1) * 64} frequency caps came, at most ${MAX_CAPS} are taken`,
    });
  });

  it('may have a bounded number of sources; only ads of further ones are rejected', () => {
    const sources = times(MAX_SOURCES, (index) => ({ source_id: `source-${index}` }));
    const late = [{ source_id: 'one too many' }, { source_id: 'source-0' }, {}];
    expect(readAds(answer([...sources, ...late]))).toMatchObject({
      kind: 'ads',
      ads: { length: MAX_SOURCES + 2 },
      rejected: [
        {
          number: MAX_SOURCES + 1,
          code: 'metadata-invalid',
          detail: `source_id: more than ${MAX_SOURCES} different ones in one answer`,
        },
      ],
    });
  });

  it('may have a bounded number of caps in all ads, because main looks at each', () => {
    const capped = (caps: number) => ({
      flight_id: 'f',
      frequency_caps: times(caps, () => ({ window: HOUR })),
    });
    const most = times(MAX_CAP_MENTIONS / 50, () => capped(50));
    expect(readAds(answer(most))).toMatchObject({ kind: 'ads', ads: { length: most.length } });
    expect(readAds(answer([...most, capped(1)]))).toEqual({
      kind: 'unreadable',
      code: 'too-much-targeting',
      message: '100001 frequency caps came, at most 100000 are taken, equal ones included',
    });
  });
});
