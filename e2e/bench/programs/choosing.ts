import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Context } from '../../../main/decisions/audience';
import { createDecider, type Decider } from '../../../main/decisions/decider';
import { countPlay, noPlays } from '../../../main/decisions/flight-counters';
import { recencyKey } from '../../../main/decisions/playlist-columns';
import { anAd, onlyMedia as mediaUrl } from '../../../main/decisions/testing/ads-for-tests';
import type { Ad, AdMetadata } from '../../../shared/ad';
import type { FlightCounters, RecencyEntry } from '../../../shared/books';
import type { Row } from '../row';
import { median, percentile } from '../statistics';

const ADS = 10_000;
const PLAYS = 1_000_000;
const SLOT_MS = 10_000;
const NOW = Date.UTC(2026, 10, 20, 12);
const WARM_UP = 300;
const SLOTS = 2_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Shape {
  readonly name: string;
  readonly flights: number;
  readonly sources: number;
  /** Caps and audience of the ad at `index`. */
  readonly metadata: (index: number) => Partial<AdMetadata>;
  readonly context?: Context;
  /** Whether the decider finds an ad. */
  readonly finds: boolean;
}

const DAY = 'FREQUENCY_CAP_WINDOW_DAY';
const HOUR = 'FREQUENCY_CAP_WINDOW_HOUR';
const MINUTE = 'FREQUENCY_CAP_WINDOW_MINUTE';
const generous = [HOUR, DAY, MINUTE].map((window) => ({ window, limit: 1_000_000 }));

const USUAL: Shape = {
  name: 'everything eligible',
  flights: 1_000,
  sources: 5,
  metadata: () => ({ frequencyCaps: generous }),
  finds: true,
};
const SHAPES: readonly Shape[] = [
  USUAL,
  {
    ...USUAL,
    name: 'all capped but one',
    metadata: (index) =>
      index === ADS - 1
        ? { flightId: null, frequencyCaps: [] }
        : { frequencyCaps: [{ window: DAY, limit: 0 }] },
  },
  {
    ...USUAL,
    name: 'no audience matches',
    metadata: (index) => ({
      audience: {
        groups: [{ conditions: [{ kind: 'basket', skus: [`sku-${index}`], items: [`item ${index}`] }] }],
      },
    }),
    context: { shopper: null, cart: { skus: ['none-of-these'], items: ['bread'] }, weather: null },
    finds: false,
  },
  { ...USUAL, name: '10,000 flights', flights: 10_000 },
  { ...USUAL, name: 'one source', sources: 1 },
  { ...USUAL, name: '1,000 sources', sources: 1_000 },
];

function adsOf(shape: Shape): Ad[] {
  return Array.from({ length: ADS }, (_, index) => {
    const metadata = {
      flightId: `flight-${index % shape.flights}`,
      expiresAt: NOW + 86_400_000 * 365,
      source: 'SOURCE_TYPE_CMS',
      sourceId: `source-${index % shape.sources}`,
      ...shape.metadata(index),
    };
    return {
      ...anAd(metadata, `https://media.example/${index}.mp4`, `ad-${index}`),
      title: `Advertisement ${index}`,
      impressions: [`https://beacons.example/impression?ad=${index}`],
      tracking: [{ event: 'start', url: `https://beacons.example/start?ad=${index}`, offset: null }],
    };
  });
}

/** The books after a million plays, the ads in turn, a slot every ten seconds up to now. */
function booksOf(ads: readonly Ad[]): { counters: FlightCounters[]; recency: RecencyEntry[] } {
  const counters = new Map<string, FlightCounters>();
  const recency = new Map<string, RecencyEntry>();
  for (let play = 0; play < PLAYS; play += 1) {
    const ad = ads[play % ads.length];
    if (ad === undefined) continue;
    const at = NOW - (PLAYS - play) * SLOT_MS;
    const { flightId } = ad.metadata;
    if (flightId !== null) counters.set(flightId, countPlay(counters.get(flightId) ?? noPlays(flightId), at));
    if (play < PLAYS - ads.length) continue;
    const key = recencyKey(ad, mediaUrl(ad) ?? '');
    recency.set(key, { key, sequence: play, at, adId: ad.id });
  }
  return { counters: [...counters.values()], recency: [...recency.values()] };
}

function deciderOver(shape: Shape, ads: readonly Ad[], books: ReturnType<typeof booksOf>): Decider {
  const decider = createDecider({ ads, mediaUrl, weights: {}, sourceMix: { credits: [] }, ...books });
  for (const url of ads.flatMap((ad) => mediaUrl(ad) ?? [])) decider.mediaReady(url);
  if (shape.context) decider.setContext(shape.context);
  return decider;
}

/**
 * Time to choose an ad for a slot and count the cap hits, ms. Neither changes the decider's state, so both
 * are repeated; the quickest of three excludes the pauses that other programs cause.
 */
function choosingTime(decider: Decider, at: number): { quickest: number; first: number } {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    decider.choose(at);
    decider.capHits(at);
    times.push(performance.now() - started);
  }
  return { quickest: Math.min(...times), first: times[0] ?? 0 };
}

/** Plays a slot, so that the next one finds another ad. */
function play(decider: Decider, at: number, finds: boolean): void {
  const choice = decider.choose(at);
  if ((choice !== null) !== finds) throw new Error('the shape is not what its name says');
  if (choice !== null) decider.enter(choice, at);
}

function row(shape: Shape): Row {
  const ads = adsOf(shape);
  const books = booksOf(ads);
  const behind = deciderOver(shape, ads, books);
  const fresh = deciderOver(shape, ads, { counters: [], recency: [] });
  const withPlays: number[] = [];
  const without: number[] = [];
  const first: number[] = [];
  for (let index = 0; index < WARM_UP + SLOTS; index += 1) {
    const at = NOW + index * SLOT_MS;
    const time = { behind: choosingTime(behind, at), fresh: choosingTime(fresh, at) };
    play(behind, at, shape.finds);
    play(fresh, at, shape.finds);
    if (index < WARM_UP) continue;
    withPlays.push(time.behind.quickest);
    first.push(time.behind.first);
    without.push(time.fresh.quickest);
  }
  return {
    name: `choosing p99, 10,000 ads, a million plays (none): ${shape.name}`,
    unit: 'ms',
    value: percentile(withPlays, 0.99),
    baseline: percentile(without, 0.99),
    ratio: median(withPlays) / median(without),
    budgets: [
      { of: 'value', most: 1 },
      { of: 'ratio', most: 1.2 },
    ],
    samples: { 'plays behind': withPlays, 'no plays': without, 'first of three': first },
    details: {
      'p50 ms': median(withPlays),
      'p50 with none ms': median(without),
      'first of three p99 ms': percentile(first, 0.99),
    },
  };
}

/** Every signal changes between two slots, so the audiences are judged again. */
function rowOfChangingSignals(): Row {
  const shape: Shape = {
    ...USUAL,
    metadata: (index) => ({
      audience: {
        groups: [
          {
            conditions: [
              {
                kind: 'demographic',
                profiles: [
                  { ageRange: `AGE_RANGE_${index % 13}`, gender: 'GENDER_FEMALE', groupSize: null },
                  { ageRange: null, gender: 'GENDER_MALE', groupSize: null },
                ],
              },
              { kind: 'basket', skus: [`sku-${index}`, 'common'], items: [`item ${index}`] },
            ],
          },
        ],
      },
    }),
  };
  const ads = adsOf(shape);
  const decider = deciderOver(shape, ads, booksOf(ads));
  const samples: number[] = [];
  for (let index = 0; index < WARM_UP + 500; index += 1) {
    const at = NOW + index * SLOT_MS;
    const started = performance.now();
    decider.setContext({
      shopper: { people: [{ ageRange: `AGE_RANGE_${index % 13}`, gender: 'GENDER_MALE' }], groupSize: 1 },
      cart: { skus: ['common', `sku-${index}`], items: [] },
      weather: null,
    });
    decider.choose(at);
    decider.capHits(at);
    const took = performance.now() - started;
    play(decider, at, true);
    if (index >= WARM_UP) samples.push(took);
  }
  return {
    name: 'choosing p95 after every signal changed, 10,000 audiences',
    unit: 'ms',
    value: percentile(samples, 0.95),
    baseline: null,
    ratio: null,
    budgets: [{ of: 'value', most: 5 }],
    samples: { choosing: samples },
    details: { 'p50 ms': median(samples), 'p99 ms': percentile(samples, 0.99) },
  };
}

/** Memory of the compiled playlist, in addition to the ads themselves. */
function rowOfMemory(): Row {
  const ads = adsOf(USUAL);
  const urls = ads.flatMap((ad) => mediaUrl(ad) ?? []);
  const memory = () => {
    collectGarbage();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const bytes: number[] = [];
  let decider: Decider | null = null;
  for (let round = 0; round < 5; round += 1) {
    decider = null;
    const before = memory();
    decider = createDecider({
      ads,
      mediaUrl,
      weights: {},
      counters: [],
      recency: [],
      sourceMix: { credits: [] },
    });
    for (const url of urls) decider.mediaReady(url);
    decider.choose(NOW);
    bytes.push((memory() - before) / 1e6);
  }
  if (decider === null) throw new Error('nothing was measured');
  return {
    name: 'memory of a compiled playlist of 10,000 ads',
    unit: 'MB',
    value: median(bytes),
    baseline: null,
    ratio: null,
    budgets: [],
    samples: { rounds: bytes },
    details: { 'bytes an ad': (median(bytes) * 1e6) / ADS },
  };
}

process.stdout.write(JSON.stringify([...SHAPES.map(row), rowOfChangingSignals(), rowOfMemory()]));
