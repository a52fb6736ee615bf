import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ad, AdMetadata } from '../../shared/ad';
import { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Block } from '../fleet/link/block';
import { type Context, EMPTY_CONTEXT, matchAudience } from './audience';
import { blockOfAd, blocksOf, NO_BLOCKS } from './blocks';
import { type Choice, createDecider, type Decider, type DeciderStart, type Entry } from './decider';
import { REASONS, type Reason } from './explain';
import { countWindow, recount } from './flight-counters';
import { recencyKey } from './playlist-columns';
import { creditsAfter, nextSource, sourceShares } from './source-mix';
import {
  anAd,
  anAudience,
  anOnlineAd,
  basket,
  demographic,
  emptyBooks,
  explainAll,
  onlyMedia,
  weather,
} from './testing/ads-for-tests';
import { slowCount, WINDOWS } from './testing/history-for-tests';
import type { ClockChange } from './trusted-clock';

const NOTHING_PREPARED = { flights: new Map(), caps: new Map() };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const start = Date.parse('2026-12-30T23:20:00Z');

function deciderOf(ads: readonly Ad[], books: Partial<DeciderStart> = {}): Decider {
  const decider = createDecider({ ...emptyBooks, ...books, ads });
  for (const url of ads.flatMap((ad) => onlyMedia(ad) ?? [])) decider.mediaReady(url);
  return decider;
}

function reserved(decider: Decider, at: number) {
  const choice = decider.choose(at);
  const entry = choice && decider.enter(choice, at);
  if (choice === null || entry === null) throw new Error('nothing could be reserved');
  return { choice, ...entry };
}

/** Reserves ads for the next slots; returns their ids. */
function next(decider: Decider, slots: number, at = start): string[] {
  return Array.from({ length: slots }, (_, slot) => reserved(decider, at + slot * 10_000).choice.ad.id);
}

const adsOf = (...ids: string[]) => ids.map((id) => anAd({}, `https://m.test/${id}`, id));
const dayCap = (limit: number): Partial<AdMetadata> => ({
  flightId: 'f',
  frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit }],
});

/* The oracle: the same decisions, each time from the whole history. */

interface ModelPlay {
  readonly choice: Choice;
  readonly flightId: string | null;
  at: number;
  readonly earned: ReadonlyMap<string, number>;
  readonly before: { readonly entry: ModelRecency | undefined; readonly turn: number };
  readonly entry: ModelRecency;
}

interface ModelRecency {
  readonly sequence: number;
  readonly adId: string;
}

/** The windows that end, with their lengths, ms. */
const LENGTHS: Readonly<Record<string, number>> = {
  FREQUENCY_CAP_WINDOW_MINUTE: MINUTE,
  FREQUENCY_CAP_WINDOW_THIRTY_MINUTES: 30 * MINUTE,
  FREQUENCY_CAP_WINDOW_HOUR: HOUR,
  FREQUENCY_CAP_WINDOW_DAY: DAY,
  FREQUENCY_CAP_WINDOW_WEEK: 7 * DAY,
};

/** What a flight's windows held at a jump, and the plays since. */
interface ModelHold {
  readonly ran: number;
  readonly from: number;
  readonly used: Map<string, number>;
}

class Model {
  ads: readonly Ad[] = [];
  playlist = 0;
  turns: number[] = [];
  context: Context = EMPTY_CONTEXT;
  weights: Record<string, number> = {};
  staleAt: number | null = null;
  readonly ready = new Set<string>();
  blocks: readonly Block[] = [];
  plays: { flightId: string; at: number }[] = [];
  readonly recency = new Map<string, ModelRecency>();
  readonly credits = new Map<string, number>();
  sequence = 0;
  readonly holds = new Map<string, ModelHold>();
  running = { at: start, ran: 0, isTrusted: true };

  stamps(flightId: string | null): number[] {
    return this.plays.filter((play) => play.flightId === flightId).map(({ at }) => at);
  }

  used(flightId: string | null, window: string, at: number): number {
    const counted = slowCount(this.stamps(flightId), window, at, this.running.isTrusted);
    const hold = this.holds.get(flightId ?? '');
    const length = LENGTHS[window];
    if (hold === undefined || length === undefined) return counted;
    const left = Math.min(hold.ran + length - this.running.ran, length);
    return at < this.running.at + left ? Math.max(counted, hold.used.get(window) ?? 0) : counted;
  }

  count(flightId: string, at: number, plays: 1 | -1): void {
    const hold = this.holds.get(flightId);
    if (hold === undefined) return;
    const ran = this.running.ran + (at - this.running.at);
    if (plays === 1 && ran >= hold.ran + 7 * DAY) this.holds.delete(flightId);
    else if (plays === 1 || at >= hold.from)
      for (const [window, used] of hold.used) hold.used.set(window, Math.max(0, used + plays));
  }

  clockChanged(change: ClockChange, ran: number, open: readonly ModelPlay[]): void {
    const { before, now, movesPlaysAfter, isJump, isTrusted } = change;
    this.running = { ...this.running, at: before, ran };
    if (isJump) {
      // A flight whose plays were all given back may still have counts from before a jump.
      for (const flightId of new Set([...this.plays.map((play) => play.flightId), ...this.holds.keys()])) {
        const hold = this.holds.get(flightId);
        const isHeld = hold !== undefined && ran < hold.ran + 7 * DAY;
        // A play in an hour that ended more than a week and a day ago is in no window any more.
        const newest = Math.max(...this.stamps(flightId).map((at) => (Math.floor(at / HOUR) + 1) * HOUR));
        if (!isHeld && newest <= before - 8 * DAY) continue;
        const used = new Map(
          Object.keys(LENGTHS).map((window) => [window, this.used(flightId, window, before)]),
        );
        this.holds.set(flightId, { ran, from: now, used });
      }
    }
    this.running = { at: now, ran, isTrusted };
    if (movesPlaysAfter === null) return;
    const moved = (at: number) => (at > movesPlaysAfter ? at + now - before : at);
    this.plays = this.plays.map(({ flightId, at }) => ({ flightId, at: moved(at) }));
    for (const play of open) play.at = moved(play.at);
  }

  take(ads: readonly Ad[]): void {
    const isTwin = (one: Ad, other: Ad) => this.keyOf(one) === this.keyOf(other);
    const isSame = (one: Ad, other: Ad) => isTwin(one, other) && one.id === other.id;
    const before = this.ads.map((ad, index) => ({ ad, turn: this.turns[index] ?? -1 }));
    /** The turn of the ad of the playlist before that is like this one, and as far behind among those like it. */
    const turnLike = (like: typeof isTwin, ad: Ad, index: number) =>
      before.filter((other) => like(other.ad, ad))[
        ads.slice(0, index).filter((other) => like(other, ad)).length
      ]?.turn;
    const turnOfLast = (ad: Ad) => {
      const last = this.recency.get(this.keyOf(ad));
      return last?.adId === ad.id ? last.sequence : -1;
    };
    this.turns = ads.map(
      (ad, index) => turnLike(isSame, ad, index) ?? turnLike(isTwin, ad, index) ?? turnOfLast(ad),
    );
    this.ads = ads;
    this.playlist += 1;
  }

  keyOf(ad: Ad): string {
    return recencyKey(ad, onlyMedia(ad) ?? '');
  }

  reasons(ad: Ad, at: number): Reason[] {
    const { expiresAt, audience, flightId, frequencyCaps } = ad.metadata;
    const until = expiresAt ?? this.staleAt;
    const uncountable = flightId === null && frequencyCaps.length > 0;
    const found: Record<Reason, boolean> = {
      expired: until !== null && at > until,
      audience: !matchAudience(audience, this.context).matches,
      capped:
        !uncountable && frequencyCaps.some(({ window, limit }) => this.used(flightId, window, at) >= limit),
      uncountable,
      'no-media': !this.ready.has(onlyMedia(ad) ?? ''),
      blocked: this.blocks.some(({ kind, id }) => {
        if (kind === 'ad') return id === ad.id;
        if (kind === 'url') return id === onlyMedia(ad);
        return id === (kind === 'flight' ? flightId : ad.metadata.sourceId);
      }),
    };
    return REASONS.filter((reason) => found[reason]);
  }

  contest(at: number) {
    const ids = [...new Set(this.ads.map((ad) => ad.metadata.sourceId ?? ''))];
    const sources = ids.map((sourceId) => ({
      sourceId,
      ads: this.ads.filter((ad) => (ad.metadata.sourceId ?? '') === sourceId).length,
    }));
    const eligible = this.ads
      .map((ad, index) => ({ ad, index }))
      .filter(({ ad }) => this.reasons(ad, at).length === 0);
    const contenders = ids.flatMap((id, source) =>
      eligible.some(({ ad }) => (ad.metadata.sourceId ?? '') === id) ? [source] : [],
    );
    const credits = ids.map((id) => this.credits.get(id) ?? 0);
    return { ids, eligible, contenders, credits, shares: sourceShares(sources, this.weights) };
  }

  choose(at: number): number | null {
    const { ids, eligible, ...contest } = this.contest(at);
    const source = ids[nextSource(contest)];
    const order = (index: number, ad: Ad) =>
      [this.recency.get(this.keyOf(ad))?.sequence ?? -1, this.turns[index] ?? -1, index] as const;
    const [first] = eligible
      .filter(({ ad }) => (ad.metadata.sourceId ?? '') === source)
      .sort((a, b) => {
        const [x, y] = [order(a.index, a.ad), order(b.index, b.ad)];
        return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
      });
    return first?.index ?? null;
  }

  reserve(choice: Choice, at: number): ModelPlay {
    const { ids, contenders, ...rest } = this.contest(at);
    const source = ids.indexOf(choice.ad.metadata.sourceId ?? '');
    const earned = new Map<string, number>();
    if (source >= 0) {
      const all = contenders.includes(source) ? contenders : [...contenders, source];
      const after = creditsAfter({ contenders: all, ...rest }, source);
      for (const [index, id] of ids.entries()) {
        earned.set(id, (after[index] ?? 0) - (this.credits.get(id) ?? 0));
        this.credits.set(id, after[index] ?? 0);
      }
    }
    const { flightId } = choice.ad.metadata;
    if (flightId !== null) {
      this.plays.push({ flightId, at });
      this.count(flightId, at, 1);
    }
    const key = this.keyOf(choice.ad);
    const entry = { sequence: this.sequence, adId: choice.ad.id };
    const before = { entry: this.recency.get(key), turn: this.turns[choice.index] ?? -1 };
    this.sequence += 1;
    this.recency.set(key, entry);
    if (choice.playlist === this.playlist) this.turns[choice.index] = entry.sequence;
    return { choice, flightId, at, earned, before, entry };
  }

  countExternal(ad: Ad, at: number): void {
    const { flightId } = ad.metadata;
    if (flightId !== null) {
      this.plays.push({ flightId, at });
      this.count(flightId, at, 1);
    }
    if (!this.ads.some((other) => this.keyOf(other) === this.keyOf(ad))) return;
    this.recency.set(this.keyOf(ad), { sequence: this.sequence, adId: ad.id });
    this.sequence += 1;
  }

  makeVoid(play: ModelPlay): void {
    const index = this.plays.findIndex(({ flightId, at }) => flightId === play.flightId && at === play.at);
    if (index >= 0) {
      this.plays.splice(index, 1);
      if (play.flightId !== null) this.count(play.flightId, play.at, -1);
    }
    for (const [id, amount] of play.earned) this.credits.set(id, (this.credits.get(id) ?? 0) - amount);
  }

  rollBack(play: ModelPlay): void {
    this.makeVoid(play);
    const { choice, before, entry } = play;
    if (choice.playlist === this.playlist && this.turns[choice.index] === entry.sequence) {
      this.turns[choice.index] = before.turn;
    }
    const key = this.keyOf(choice.ad);
    if (this.recency.get(key) !== entry) return;
    if (before.entry === undefined) this.recency.delete(key);
    else this.recency.set(key, before.entry);
  }
}

const few = fc.integer({ min: 0, max: 3 });
const anyGroupSize = fc.record({
  operator: fc.constantFrom('COUNT_COMPARISON_OPERATOR_EQUAL', 'COUNT_COMPARISON_OPERATOR_GREATER_THAN'),
  value: fc.constantFrom(1, 2),
});
const anyProfile = fc.record({
  ageRange: fc.option(fc.constantFrom('AGE_RANGE_25_29', 'AGE_RANGE_30_34'), { freq: 2 }),
  gender: fc.option(fc.constant('GENDER_FEMALE'), { freq: 2 }),
  groupSize: fc.option(anyGroupSize, { freq: 4 }),
});
const anyBasket = fc.tuple(fc.constantFrom([], ['1'], ['2']), fc.constantFrom([], ['Milk'], [' milk ']));
/** Often of a kind with several values, because two that differ in one of them only are to meet in a playlist. */
const anyCondition = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('SUN', 'RAIN').map((type) => weather(type)) },
  { weight: 3, arbitrary: anyBasket.map(([skus, items]) => basket([...skus], [...items])) },
  { weight: 4, arbitrary: anyProfile.map((profile) => demographic(profile)) },
  { weight: 1, arbitrary: fc.constant({ kind: 'unreadable' as const, detail: 'none' }) },
);
const woman = { ageRange: null, gender: 'GENDER_FEMALE' };
const youngMan = { ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_MALE' };
const anyContext: fc.Arbitrary<Context> = fc.record({
  shopper: fc.constantFrom(
    null,
    { people: [], groupSize: 2 },
    { people: [woman], groupSize: 1 },
    { people: [woman, youngMan], groupSize: 3 },
  ),
  cart: fc.constantFrom(null, { skus: ['1'], items: ['MILK'] }, { skus: ['1', '2'], items: [] }),
  weather: fc.constantFrom(null, { types: ['SUN'] }, { types: ['SUN', 'RAIN'] }),
});
const anyCap = fc.record({ window: fc.constantFrom(...WINDOWS), limit: fc.integer({ min: 0, max: 4 }) });
const anyId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const anyAd: fc.Arbitrary<Ad> = fc
  .record({
    id: anyId,
    media: few.map((n) => `https://m.test/${n}`),
    audience: fc.option(
      fc
        .array(fc.array(anyCondition, { maxLength: 2 }), { maxLength: 2 })
        .map((groups) => anAudience(...groups)),
      { freq: 2 },
    ),
    flightId: fc.option(
      few.map((n) => `flight-${n}`),
      { freq: 5 },
    ),
    expiresAt: fc.option(
      fc.integer({ min: -2 * DAY, max: 9 * DAY }).map((by) => start + by),
      { freq: 2 },
    ),
    frequencyCaps: fc.array(anyCap, { maxLength: 2 }),
    sourceId: fc.option(fc.constantFrom('', 'cms', 'ssp', 'server'), { freq: 3 }),
  })
  .map(({ id, media, ...metadata }) => anAd(metadata, media, id));
/** Ads, some of them with twins: other ads, or other places, for the same source, flight and media. */
const anyPlaylist: fc.Arbitrary<Ad[]> = fc
  .array(
    fc.tuple(anyAd, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(anyId, { maxLength: 3 }))),
    {
      maxLength: 8,
      size: 'max',
    },
  )
  .map((ads) => ads.flatMap(([ad, twins]) => [ad, ...twins.map((id) => ({ ...ad, id }))]));
const anyJump = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: MINUTE }) },
  { weight: 2, arbitrary: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) },
  { weight: 2, arbitrary: fc.integer({ min: -8 * DAY, max: 8 * DAY }) },
  { weight: 1, arbitrary: fc.constantFrom(MINUTE, 30 * MINUTE, HOUR, -HOUR, DAY, -DAY, 7 * DAY, -7 * DAY) },
);
const anyWeights = fc.dictionary(fc.constantFrom('cms', 'ssp', '', 'gone'), fc.integer({ min: 0, max: 3 }));
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant('flight' as const), id: few.map((n) => `flight-${n}`) }),
  fc.record({ kind: fc.constant('url' as const), id: few.map((n) => `https://m.test/${n}`) }),
  fc.record({ kind: fc.constant('ad' as const), id: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('source' as const), id: fc.constantFrom('cms', 'ssp') }),
);
const anyStepAtOnce = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('slot' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stale-slot' as const), ads: anyPlaylist }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('give-back' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('roll-back' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('external' as const),
      /** Which ad of the playlist; beyond its end: another one. */
      which: fc.nat({ max: 9 }),
      other: anyAd,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'recount' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('context' as const), context: anyContext }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('media' as const), media: few, ready: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('playlist' as const), ads: anyPlaylist }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('refresh' as const),
      /** The ads of the playlist so far, in another order, some of them under other ids. */
      first: fc.nat(),
      ids: fc.dictionary(anyId, anyId, { maxKeys: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stale-at' as const), by: anyJump }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('blocks' as const),
      blocks: fc.array(anyBlock, { maxLength: 2 }),
    }),
  },
);
const anyStep = fc.oneof(
  { weight: 28, arbitrary: anyStepAtOnce },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), by: anyJump }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clock-set' as const),
      by: anyJump,
      after: fc.option(anyJump, { freq: 5 }),
      isJump: fc.boolean(),
      isTrusted: fc.boolean(),
      /** What happens while the change is prepared. */
      meanwhile: fc.array(anyStepAtOnce, { maxLength: 4 }),
    }),
  },
);
const anySteps = fc.array(anyStep, { maxLength: 40, size: 'max' });
type Step = typeof anyStep extends fc.Arbitrary<infer Of> ? Of : never;

describe('against an oracle that recounts the whole history', () => {
  it('judges and chooses the same, whatever the playlist, the signals, the caps and the clock do', () => {
    fc.assert(
      fc.property(
        anyPlaylist,
        anyWeights,
        anyContext,
        anySteps,
        anyJump,
        (ads, weights, context, steps, glance) => {
          let now = start;
          const model = new Model();
          model.take(ads);
          model.weights = weights;
          model.context = context;
          let blocks = NO_BLOCKS;
          const blockOf = (ad: Ad) => blockOfAd(blocks, ad, () => null);
          const decider = createDecider({ ...emptyBooks, ads, weights, blockOf });
          decider.setContext(context);
          for (const n of [0, 1, 2]) {
            model.ready.add(`https://m.test/${n}`);
            decider.mediaReady(`https://m.test/${n}`);
          }
          const open: { entry: Entry; play: ModelPlay }[] = [];

          /** Flights that may be counted too high, because play times that they need were dropped. */
          const countedHigh = (at: number) => {
            const { isTrusted } = model.running;
            const isExact = (flight: FlightCounters | null) =>
              flight === null || WINDOWS.every((window) => countWindow(flight, window, at, isTrusted).exact);
            const played = new Set(model.plays.map(({ flightId }) => flightId));
            const toRecount = decider.flightsToRecount(at).map(({ flightId }) => flightId);
            return new Set([...toRecount, ...[...played].filter((id) => !isExact(decider.countersOf(id)))]);
          };

          const reserve = (choice: Choice | null) => {
            if (choice === null) return;
            const allowed = model.reasons(choice.ad, now).length === 0;
            const mayCountHigh = countedHigh(now).size > 0;
            const entry = decider.enter(choice, now);
            if (!mayCountHigh) expect(entry !== null).toBe(allowed);
            if (entry === null) return;
            expect(allowed).toBe(true);
            open.push({ entry, play: model.reserve(choice, now) });
            for (const { window, limit } of choice.ad.metadata.frequencyCaps) {
              const stamps = model.plays.filter((play) => play.flightId === choice.ad.metadata.flightId);
              expect(
                slowCount(
                  stamps.map(({ at }) => at),
                  window,
                  now,
                ),
              ).toBeLessThanOrEqual(limit);
            }
          };

          const take = (step: Step): void => {
            switch (step.kind) {
              case 'slot': {
                const choice = decider.choose(now);
                if (countedHigh(now).size === 0) {
                  expect(choice?.index ?? null).toBe(model.choose(now));
                }
                reserve(choice);
                break;
              }
              case 'stale-slot': {
                const choice = decider.choose(now);
                decider.setPlaylist(step.ads);
                model.take(step.ads);
                if (choice !== null) expect(decider.isCurrent(choice)).toBe(false);
                reserve(choice);
                break;
              }
              case 'move':
                now += step.by;
                break;
              case 'give-back':
              case 'roll-back': {
                const [taken] = open.splice(step.which % Math.max(1, open.length), 1);
                if (taken === undefined) break;
                if (step.kind === 'give-back') {
                  model.makeVoid(taken.play);
                  expect(taken.entry.makeVoid()).not.toBeNull();
                } else {
                  model.rollBack(taken.play);
                  taken.entry.rollBack();
                }
                expect(taken.entry.makeVoid()).toBeNull();
                break;
              }
              case 'external': {
                const ad = model.ads[step.which] ?? step.other;
                decider.countExternal({ ad, mediaUrl: onlyMedia(ad) ?? '' }, now);
                model.countExternal(ad, now);
                break;
              }
              case 'clock-set': {
                const { after, by, isJump } = step;
                // A jump does not change whether the clock is trusted (trusted-clock.ts).
                const isTrusted = isJump ? model.running.isTrusted : step.isTrusted;
                const movesPlaysAfter = after === null ? null : now + after;
                const change = { before: now, now: now + by, movesPlaysAfter, isJump, isTrusted };
                const ran = Math.max(0, model.running.ran + (now - model.running.at));
                const preparing = decider.prepareMove(change, ran);
                let prepared = preparing.next();
                for (const other of step.meanwhile) {
                  take(other);
                  if (!prepared.done) prepared = preparing.next();
                }
                while (!prepared.done) prepared = preparing.next();
                const plays = open.map(({ play }) => play);
                decider.clockChanged(change, ran, prepared.value);
                model.clockChanged(change, ran, plays);
                now += by;
                break;
              }
              case 'recount': {
                const flights = new Set(model.plays.map(({ flightId }) => flightId));
                for (const id of flights) {
                  decider.takeRecount(recount(id, model.stamps(id)), decider.correctionsOf(id));
                }
                break;
              }
              case 'context':
                decider.setContext(step.context);
                model.context = step.context;
                break;
              case 'media': {
                const url = `https://m.test/${step.media}`;
                if (step.ready) {
                  decider.mediaReady(url);
                  model.ready.add(url);
                } else {
                  decider.mediaGone(url);
                  model.ready.delete(url);
                }
                break;
              }
              case 'playlist':
                decider.setPlaylist(step.ads);
                model.take(step.ads);
                break;
              case 'refresh': {
                const first = step.first % Math.max(1, model.ads.length);
                const turned = [...model.ads.slice(first), ...model.ads.slice(0, first)];
                const refreshed = turned.map((ad) => ({ ...ad, id: step.ids[ad.id] ?? ad.id }));
                decider.setPlaylist(refreshed);
                model.take(refreshed);
                break;
              }
              case 'blocks':
                model.blocks = step.blocks;
                blocks = blocksOf(step.blocks);
                decider.blocksChanged();
                break;
              case 'stale-at':
                model.staleAt = now + step.by;
                decider.setStaleAt(model.staleAt);
                break;
            }

            for (const at of [now, now + glance]) {
              const explanations = explainAll(decider, model.ads, at);
              const recounts = countedHigh(at);
              const tally = {
                playable: 0,
                eligible: 0,
                expired: 0,
                audience: 0,
                capped: 0,
                uncountable: 0,
                noMedia: 0,
                blocked: 0,
              };
              for (const [index, ad] of model.ads.entries()) {
                const explanation = explanations[index];
                const truth = model.reasons(ad, at);
                if (explanation === undefined) throw new Error('an ad was not explained');
                if (!recounts.has(ad.metadata.flightId ?? '')) expect(explanation.reasons).toEqual(truth);
                else expect(explanation.reasons).toEqual(expect.arrayContaining(truth));
                for (const reason of explanation.reasons)
                  tally[reason === 'no-media' ? 'noMedia' : reason] += 1;
                if (explanation.eligible) tally.eligible += 1;
                if (onlyMedia(ad) !== null) tally.playable += 1;
              }
              expect(decider.tally(at)).toEqual({ ads: model.ads.length, ...tally });
              expect(decider.choose(at) !== null).toBe(tally.eligible > 0);
            }
          };
          for (const step of steps) take(step);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('continues from stored data after a restart as if there had been none', () => {
    const distinct = anyPlaylist.map((ads) =>
      ads.map((ad, index) => anAd(ad.metadata, `https://m.test/${index}`, `ad-${index}`)),
    );
    fc.assert(
      fc.property(distinct, anyContext, fc.integer({ min: 1, max: 12 }), (ads, context, slots) => {
        const decider = deciderOf(ads);
        decider.setContext(context);
        const counters = new Map<string, FlightCounters>();
        const recency = new Map<string, RecencyEntry>();
        let sourceMix: SourceMixState = { credits: [] };
        let now = start;
        const play = (of: Decider) => {
          const choice = of.choose(now);
          const entry = choice && of.enter(choice, now);
          return entry && { choice, books: entry.books };
        };
        for (let slot = 0; slot < slots; slot += 1) {
          now += 10_000;
          const persist = play(decider)?.books;
          if (persist === undefined) continue;
          if (persist.flight) counters.set(persist.flight.flightId, FlightCounters.parse(persist.flight));
          const played = RecencyEntry.parse(persist.recency);
          recency.set(played.key, played);
          sourceMix = SourceMixState.parse(persist.sourceMix);
        }
        const restarted = deciderOf(ads, {
          counters: [...counters.values()],
          recency: [...recency.values()],
          sourceMix,
        });
        restarted.setContext(context);
        for (let slot = 0; slot < 12; slot += 1) {
          now += 10_000;
          const [before, after] = [play(decider), play(restarted)];
          expect(after?.choice.index).toBe(before?.choice.index);
          expect(after?.books).toEqual(before?.books);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('inside a source (rule 9)', () => {
  it('plays in response order, then least recently played first', () => {
    expect(next(deciderOf(adsOf('a', 'b', 'c')), 7)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
  });

  it('keeps recency across a refresh that changes ids and order, and plays new ads first', () => {
    const decider = deciderOf(adsOf('a', 'b', 'c'));
    next(decider, 2);
    const refreshed = [
      anAd({}, 'https://m.test/b', 'b-again'),
      anAd({}, 'https://m.test/a', 'a-again'),
      anAd({}, 'https://m.test/c', 'c-again'),
      anAd({}, 'https://m.test/d', 'd'),
    ];
    decider.mediaReady('https://m.test/d');
    decider.setPlaylist(refreshed);
    expect(next(decider, 4)).toEqual(['c-again', 'd', 'a-again', 'b-again']);
  });

  it('plays no ad twice in a row while another is eligible, whatever the clock shows', () => {
    const decider = deciderOf(adsOf('a', 'b'));
    const at = [start, start, start - DAY, start + DAY, start];
    expect(at.map((time) => reserved(decider, time).choice.ad.id)).toEqual(['a', 'b', 'a', 'b', 'a']);
  });

  it('ads that share source, flight and media take turns, even under one id', () => {
    const twins = ['x', 'x', 'y'].map((id) => anAd({ flightId: 'f' }, 'https://m.test/one', id));
    const decider = deciderOf(twins);
    const played = Array.from({ length: 6 }, (_, slot) => reserved(decider, start + slot).choice.index);
    expect(played).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it.each([
    ['as they were', (id: string) => id],
    ['with other ids', (id: string, answer: number) => `${id} ${answer}`],
    ['under one id', () => 'twin'],
  ])('twins share their turns evenly however often the playlist is replaced: %s', (_, named) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (twins, others, refreshSlots) => {
          const answer = (n: number) => [
            ...Array.from({ length: twins }, (_, twin) =>
              anAd({ flightId: 'f' }, 'https://m.test/one', named(`twin ${twin}`, n)),
            ),
            ...adsOf(...Array.from({ length: others }, (_, other) => `other ${other}`)),
          ];
          const decider = deciderOf(answer(0));
          const plays = new Array<number>(twins).fill(0);
          for (let slot = 0; slot < 300; slot += 1) {
            if (slot % refreshSlots === 0) decider.setPlaylist(answer(slot));
            const { index } = reserved(decider, start).choice;
            if (index < twins) plays[index] = (plays[index] ?? 0) + 1;
          }
          expect(Math.max(...plays) - Math.min(...plays)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('four twins among 40 other ads play equally often, with a new playlist each 30 slots', () => {
    const twins = ['a', 'b', 'c', 'd'];
    const ads = [
      ...twins.map((id) => anAd({ flightId: 'f' }, 'https://m.test/one', id)),
      ...adsOf(...Array.from({ length: 40 }, (_, other) => `other ${other}`)),
    ];
    const decider = deciderOf(ads);
    const played: string[] = [];
    for (let slot = 0; slot < 600; slot += 30) {
      played.push(...next(decider, 30));
      decider.setPlaylist([...ads]);
    }
    expect(twins.map((id) => played.filter((other) => other === id).length)).toEqual([4, 4, 4, 3]);
  });

  it('an online play has the turn of its source, flight and file, until it is rolled back', () => {
    const ads = adsOf('a', 'b');
    const [a] = ads as [Ad];
    const decider = deciderOf(ads);
    const play = decider.countExternal({ ad: { ...a, id: 'online' }, mediaUrl: 'https://m.test/a' }, start);
    const recency = { key: recencyKey(a, 'https://m.test/a'), sequence: 0, at: start, adId: 'online' };
    expect(play.books).toEqual({ flight: null, recency, sourceMix: null });
    expect(decider.choose(start)?.ad.id).toBe('b');
    expect(deciderOf(ads, { recency: [recency] }).choose(start)?.ad.id).toBe('b');
    play.rollBack();
    expect(decider.choose(start)?.ad.id).toBe('a');
  });

  it('an online play leaves the turns of ads that share its key among themselves', () => {
    const twins = ['x', 'y'].map((id) => anAd({ flightId: 'f' }, 'https://m.test/one', id));
    const [x] = twins as [Ad];
    const decider = deciderOf(twins);
    expect(next(decider, 1)).toEqual(['x']);
    decider.countExternal({ ad: { ...x, id: 'online' }, mediaUrl: 'https://m.test/one' }, start);
    decider.setPlaylist([...twins]);
    expect(next(decider, 3)).toEqual(['y', 'x', 'y']);
  });

  it('plays a single ad again and again', () => {
    expect(next(deciderOf(adsOf('a')), 3)).toEqual(['a', 'a', 'a']);
  });

  it('forgets only creatives that are in no playlist', () => {
    const decider = deciderOf(adsOf('a', 'b', 'c'));
    next(decider, 3);
    decider.setPlaylist(adsOf('c', 'b', 'a').slice(0, 1));
    expect(decider.forgetRecency(1)).toEqual([recencyKey(anAd(), 'https://m.test/a')]);
    expect(decider.forgetRecency(1)).toEqual([]);
    decider.setPlaylist(adsOf('a', 'b'));
    expect(next(decider, 2)).toEqual(['a', 'b']);
  });

  it('an online play of what no ad of the playlist shares leaves nothing to store', () => {
    const decider = deciderOf([anAd({}, 'https://m.test/a')]);
    const mediaUrl = 'https://m.test/of-this-answer';
    expect(decider.countExternal({ ad: anAd({}, mediaUrl), mediaUrl }, start).books.recency).toBeNull();
  });
});

describe('choosing', () => {
  it('changes nothing', () => {
    const decider = deciderOf(adsOf('a', 'b'));
    expect(decider.choose(start)).toEqual(decider.choose(start));
  });

  it('finds nothing in an empty playlist', () => {
    const decider = deciderOf([]);
    expect(decider.choose(start)).toBeNull();
  });

  it('does not confuse ads without a flight with a flight called null', () => {
    const { frequencyCaps = [] } = dayCap(1);
    const ads = [null, 'null', ''].map((flightId) => anAd({ flightId, frequencyCaps }, 'm', `${flightId}`));
    const decider = deciderOf(ads);
    expect(next(decider, 2)).toEqual(['null', '']);
    expect(decider.choose(start)).toBeNull();
    expect(decider.tally(start)).toMatchObject({ uncountable: 1, capped: 2 });
  });

  it('becomes possible again at the very moment a cap allows it', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    reserved(decider, start);
    const midnight = Date.parse('2026-12-31T00:00:00Z');
    expect(decider.choose(midnight - 1)).toBeNull();
    expect(decider.choose(midnight)).not.toBeNull();
  });

  it('gives no-media for an ad without a file that this kiosk can show', () => {
    const ads = adsOf('a', 'b');
    const mediaUrl = (ad: Ad) => (ad === ads[0] ? null : onlyMedia(ad));
    const decider = createDecider({ ...emptyBooks, ads, mediaUrl });
    expect(decider.tally(start)).toMatchObject({ ads: 2, playable: 1, noMedia: 2 });
    decider.mediaReady('');
    expect(decider.choose(start)).toBeNull();
    expect(decider.check({ ad: anAd(), mediaUrl: '' }, start)).toMatchObject({ reasons: ['no-media'] });
  });

  it('works with ten thousand sources', () => {
    const ads = Array.from({ length: 10_000 }, (_, n) => anAd({ sourceId: `s${n}` }, `m${n}`, `${n}`));
    const decider = deciderOf(ads);
    expect(new Set(next(decider, 20)).size).toBe(20);
  });
});

describe('reserving (rule 8)', () => {
  it('refuses an ad that may not play at that moment', () => {
    const decider = deciderOf([anAd({ expiresAt: start })]);
    const choice = decider.choose(start);
    if (choice === null) throw new Error('nothing chosen');
    expect(decider.enter(choice, start + 1)).toBeNull();
    expect(decider.check(choice, start + 1)).toMatchObject({ reasons: ['expired'] });
    expect(decider.check(choice, start)).toMatchObject({ eligible: true });
  });

  it('counts one choice reserved twice as two plays, and the cap refuses the second', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    const choice = decider.choose(start);
    if (choice === null) throw new Error('nothing chosen');
    expect(decider.enter(choice, start)?.books.flight).toMatchObject({ flightId: 'f', total: 1 });
    expect(decider.enter(choice, start)).toBeNull();
  });

  it('says what has to be stored with the play', () => {
    const { books } = reserved(deciderOf([anAd({ sourceId: 'cms' }, 'm', 'a')]), start);
    expect(books).toEqual({
      flight: null,
      recency: { key: recencyKey(anAd({ sourceId: 'cms' }), 'm'), sequence: 0, at: start, adId: 'a' },
      sourceMix: { credits: [{ sourceId: 'cms', credit: 0 }] },
    });
  });

  it('leaves no trace after a rollback', () => {
    const decider = deciderOf(adsOf('a', 'b'));
    const entry = reserved(decider, start);
    entry.rollBack();
    entry.rollBack();
    decider.setPlaylist(adsOf('a', 'b'));
    expect(next(decider, 2)).toEqual(['a', 'b']);
  });

  it('goes on with the next ad of a creative after a refresh of the playlist and after a restart', () => {
    const twins = ['x', 'y'].map((id) => anAd({}, 'https://m.test/one', id));
    const decider = deciderOf(twins);
    const { recency } = reserved(decider, start).books;
    decider.setPlaylist([...twins]);
    expect(next(decider, 3)).toEqual(['y', 'x', 'y']);
    expect(next(deciderOf(twins, { recency: recency ? [recency] : [] }), 1)).toEqual(['y']);
  });

  it('keeps the newer play of a creative when an older one is rolled back', () => {
    const twins = ['x', 'y'].map((id) => anAd({}, 'https://m.test/one', id));
    const decider = deciderOf([...twins, ...adsOf('z')]);
    const older = reserved(decider, start);
    expect(next(decider, 1)).toEqual(['z']);
    reserved(decider, start);
    older.rollBack();
    expect(next(decider, 1)).toEqual(['z']);
  });

  it('a void play no longer counts, and its ad waits for its next turn', () => {
    const decider = deciderOf([anAd(dayCap(1), 'm', 'capped'), ...adsOf('b')]);
    const entry = reserved(decider, start);
    expect(entry.choice.ad.id).toBe('capped');
    expect(decider.check(entry.choice, start)).toMatchObject({ reasons: ['capped'] });
    expect(entry.makeVoid()?.flight).toMatchObject({ flightId: 'f', total: 0 });
    expect(decider.check(entry.choice, start)).toMatchObject({ eligible: true });
    expect(next(decider, 2)).toEqual(['b', 'capped']);
  });

  it('a play can become void after a change of the clock has moved it', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    const entry = reserved(decider, start + DAY);
    const change = {
      before: start + DAY,
      now: start,
      movesPlaysAfter: start,
      isJump: false,
      isTrusted: true,
    };
    const moved = decider.clockChanged(change, 0, NOTHING_PREPARED);
    expect(moved).toMatchObject([{ flightId: 'f', recent: [start] }]);
    expect(entry.makeVoid()?.flight?.total).toBe(0);
  });

  it('an online play can also become void after such a move', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    const play = decider.countExternal(anOnlineAd('f'), start + DAY);
    const change = {
      before: start + DAY,
      now: start,
      movesPlaysAfter: start,
      isJump: false,
      isTrusted: true,
    };
    decider.clockChanged(change, 0, NOTHING_PREPARED);
    expect(play.makeVoid()?.flight?.total).toBe(0);
  });

  it('a flight whose plays moved without all their times is recounted once, and keeps its carried counts', () => {
    const caps = { flightId: 'f', frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 200 }] };
    const times = Array.from({ length: 100 }, (_, minute) => start + minute * MINUTE);
    const decider = deciderOf([anAd(caps)], { counters: [recount('f', times)] });
    const before = start + 100 * MINUTE;
    const now = before + HOUR;
    expect(decider.flightsToRecount(before)).toEqual([]);
    const change = { before, now, movesPlaysAfter: start - 1, isJump: true, isTrusted: true };
    const [moved] = decider.clockChanged(change, 0, NOTHING_PREPARED);
    expect(moved?.carried).toMatchObject({ from: now });
    expect(decider.flightsToRecount(now)).toEqual([moved]);
    const recounted = recount(
      'f',
      times.map((at) => at + HOUR),
    );
    expect(decider.takeRecount(recounted, decider.correctionsOf('f'))).toBe(true);
    expect(decider.flightsToRecount(now)).toEqual([]);
    expect(decider.countersOf('f')).toEqual({ ...recounted, carried: moved?.carried });
  });

  it('counts that a jump carried end with their window to the millisecond, and are dropped after the longest one (rule 10)', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    reserved(decider, start);
    const now = start + DAY;
    const change = { before: start, now, movesPlaysAfter: start, isJump: true, isTrusted: true };
    decider.clockChanged(change, HOUR, NOTHING_PREPARED);
    expect(decider.choose(now + DAY - 1)).toBeNull();
    const choice = decider.choose(now + DAY);
    expect(choice && decider.check(choice, now + DAY).reasons).toEqual([]);
    expect(decider.shrinkUnseen(now + 7 * DAY - 1)).toEqual([]);
    const [shrunk, ...others] = decider.shrinkUnseen(now + 7 * DAY);
    expect([shrunk?.total, shrunk?.carried, others]).toEqual([1, undefined, []]);
  });

  it.each([
    ['for the rest of their window', HOUR + 20 * MINUTE, 10 * MINUTE],
    ['for one window at most, if the running time was lost', 0, 30 * MINUTE],
  ])('counts that a jump carried hold after a restart %s', (_, ran, holdsFor) => {
    const caps = {
      flightId: 'f',
      frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', limit: 1 }],
    };
    const carried = { ran: HOUR, from: start - DAY, used: [1, 1, 1, 1, 1] };
    const counters = [{ ...recount('f', [start - 2 * DAY]), carried }];
    const decider = deciderOf([anAd(caps)], { counters, running: { at: start, ran, isTrusted: true } });
    expect(decider.choose(start + holdsFor - 1)).toBeNull();
    expect(decider.choose(start + holdsFor)).not.toBeNull();
  });

  it('online plays count for their flight', () => {
    const decider = deciderOf([anAd(dayCap(1))]);
    const play = decider.countExternal(anOnlineAd('f'), start);
    expect(play.books.flight).toMatchObject({ total: 1 });
    expect(decider.choose(start)).toBeNull();
    expect(play.makeVoid()?.flight).toMatchObject({ total: 0 });
    expect(decider.choose(start)).not.toBeNull();
    const withoutFlight = decider.countExternal(anOnlineAd(null), start);
    expect(withoutFlight.books.flight).toBeNull();
    expect(withoutFlight.makeVoid()?.flight).toBeNull();
  });
});

describe('the source mix (rule 9)', () => {
  const of = (sourceId: string, n: number) =>
    Array.from({ length: n }, (_, i) => anAd({ sourceId }, `${sourceId}-${i}`, sourceId));

  it('follows the weights of the settings, or the shares of the playlist if there are none', () => {
    const ads = [...of('cms', 3), ...of('ssp', 1)];
    expect(next(deciderOf(ads), 4).sort()).toEqual(['cms', 'cms', 'cms', 'ssp']);
    const weighted = deciderOf(ads, { weights: { cms: 1, ssp: 3 } });
    expect(next(weighted, 4).sort()).toEqual(['cms', 'ssp', 'ssp', 'ssp']);
  });

  it('applies new weights from the next slot on', () => {
    const ads = [...of('cms', 3), ...of('ssp', 1)];
    const decider = deciderOf(ads);
    expect(next(decider, 4).sort()).toEqual(['cms', 'cms', 'cms', 'ssp']);
    decider.setWeights({ cms: 1, ssp: 3 });
    expect(next(decider, 4).sort()).toEqual(['cms', 'ssp', 'ssp', 'ssp']);
    decider.setPlaylist(ads);
    expect(next(decider, 4).sort()).toEqual(['cms', 'ssp', 'ssp', 'ssp']);
    decider.setWeights({});
    expect(next(decider, 4).sort()).toEqual(['cms', 'cms', 'cms', 'ssp']);
  });

  it('survives a playlist from which a source is absent for a while', () => {
    const both = [...of('cms', 1), ...of('ssp', 1)];
    const decider = deciderOf(both);
    expect(next(decider, 1)).toEqual(['cms']);
    decider.setPlaylist(of('cms', 1));
    next(decider, 50);
    decider.setPlaylist(both);
    expect(next(decider, 3)).toEqual(['ssp', 'cms', 'ssp']);
  });

  it('survives a restart, in which the playlist comes after the books, with any number of sources', () => {
    const all = Array.from({ length: 300 }, (_, index) => of(`s${index}`, 1)).flat();
    const decider = deciderOf(all);
    for (let slot = 1; slot < 150; slot += 1) reserved(decider, start);
    const sourceMix = SourceMixState.parse(reserved(decider, start).books.sourceMix);
    const restarted = createDecider({ ...emptyBooks, ads: [], sourceMix });
    restarted.setPlaylist(all);
    for (const url of all.flatMap((ad) => onlyMedia(ad) ?? [])) restarted.mediaReady(url);
    expect(next(restarted, 150)).toEqual(next(decider, 150));
  });

  it('restores the credit of a source that left in between', () => {
    const both = [...of('cms', 1), ...of('ssp', 1)];
    const decider = deciderOf(both);
    const entry = reserved(decider, start);
    decider.setPlaylist(of('ssp', 1));
    const credits = entry.makeVoid()?.sourceMix?.credits;
    expect(credits?.every(({ credit }) => credit === 0)).toBe(true);
    expect(credits?.map(({ sourceId }) => sourceId)).toEqual(['ssp', 'cms']);
  });

  it('takes back of a void play what it changed, and nothing of earlier plays', () => {
    const decider = deciderOf([...of('cms', 1), ...of('ssp', 1)]);
    const { sourceMix } = reserved(decider, start).books;
    expect(reserved(decider, start).makeVoid()?.sourceMix).toEqual(sourceMix);
  });

  it('charges nothing for a choice whose source has left', () => {
    const decider = deciderOf([...of('cms', 1), ...of('ssp', 1)]);
    const choice = decider.choose(start);
    if (choice === null) throw new Error('nothing chosen');
    decider.setPlaylist(of('ssp', 1));
    const entry = decider.enter(choice, start);
    const unchanged = { credits: ['ssp', 'cms'].map((sourceId) => ({ sourceId, credit: 0 })) };
    expect(entry?.books.sourceMix).toEqual(unchanged);
    expect(entry?.makeVoid()?.sourceMix).toEqual(unchanged);
  });

  it('charges the source of a choice from an older playlist, even if it has no other eligible ad', () => {
    const decider = deciderOf([...of('cms', 1), ...of('ssp', 1)]);
    const choice = decider.choose(start);
    if (choice === null) throw new Error('nothing chosen');
    decider.setPlaylist([...of('ssp', 1), anAd({ sourceId: 'cms', expiresAt: 0 })]);
    const credits = decider.enter(choice, start)?.books.sourceMix?.credits;
    expect(credits?.find(({ sourceId }) => sourceId === 'cms')?.credit).toBe(-0.5);
  });

  it('remembers a bounded number of sources that left', () => {
    const credits = Array.from({ length: 1000 }, (_, n) => ({ sourceId: `gone-${n}`, credit: 0.5 }));
    const decider = deciderOf(of('cms', 1), { sourceMix: { credits } });
    expect(reserved(decider, start).books.sourceMix?.credits.length).toBeLessThanOrEqual(257);
    const fewer = deciderOf(of('cms', 1), { sourceMix: { credits: credits.slice(0, 256) } });
    expect(reserved(fewer, start).books.sourceMix?.credits.length).toBe(257);
  });
});

describe('a forecast', () => {
  const flights = fc.array(
    fc.record({
      source: fc.constantFrom('a', 'b', 'c'),
      flight: fc.constantFrom('f', 'g', null),
      limit: fc.nat(3),
      media: fc.constantFrom('1', '2', '3'),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const slots = 12;
  const slotMs = 10_000;

  it('predicts the following plays, and changes nothing', () => {
    fc.assert(
      fc.property(flights, fc.nat(5), (specified, before) => {
        const ads = specified.map(({ source, flight, limit, media }, index) =>
          anAd(
            {
              sourceId: source,
              flightId: flight,
              frequencyCaps:
                flight === null ? [] : [{ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: limit + 1 }],
            },
            `https://m.test/${media}`,
            `ad-${index}`,
          ),
        );
        const [looking, blind] = [deciderOf(ads), deciderOf(ads)];
        const play = (decider: Decider, slot: number) => {
          const at = start + slot * slotMs;
          const choice = decider.choose(at);
          const entry = choice && decider.enter(choice, at);
          return entry && { ad: choice.ad.id, books: entry.books };
        };
        for (let slot = 0; slot < before; slot += 1) for (const each of [looking, blind]) play(each, slot);
        const forecast = looking.forecast(start + before * slotMs, slots, () => slotMs);
        const played = Array.from({ length: slots }, (_, slot) => [
          play(looking, before + slot),
          play(blind, before + slot),
        ]);
        // A decider that made a forecast plays, and stores, exactly what the other one does.
        for (const [one, other] of played) expect(one).toEqual(other);
        const until = played.findIndex(([one]) => one === null);
        const expected = played.slice(0, until < 0 ? slots : until).map(([one]) => one?.ad);
        expect(forecast.map(({ choice }) => choice.ad.id)).toEqual(expected);
        expect(forecast.map(({ at }) => at)).toEqual(
          expected.map((_, slot) => start + (before + slot) * slotMs),
        );
      }),
    );
  });

  it('is empty where nothing may play', () => {
    expect(deciderOf([]).forecast(start, 5, () => slotMs)).toEqual([]);
  });
});

describe('a playlist that is prepared step by step', () => {
  it('includes changes that happen meanwhile, like one that is set in one step', () => {
    const what = fc.constantFrom('play', 'give back', 'clock', 'ready', 'gone', 'none');
    fc.assert(
      fc.property(fc.array(fc.tuple(what, fc.nat(3)), { maxLength: 40, size: 'max' }), (events) => {
        const ads = [0, 1, 2, 3].flatMap((flight) =>
          [1, 2].map((limit) => {
            const metadata = { ...dayCap(limit + flight), flightId: `f${flight}`, sourceId: `s${flight}` };
            return anAd(metadata, `https://m.test/${flight}`, `ad ${flight} ${limit}`);
          }),
        );
        const decider = deciderOf(ads.slice(2));
        const steps = decider.preparePlaylist(ads);
        let step = steps.next();
        let clock = start;
        const plays: ReturnType<typeof decider.countExternal>[] = [];
        for (const [event, flight] of events) {
          if (event === 'play') plays.push(decider.countExternal(anOnlineAd(`f${flight}`), clock));
          if (event === 'give back') plays.pop()?.makeVoid();
          if (event === 'ready') decider.mediaReady(`https://m.test/${flight}`);
          if (event === 'gone') decider.mediaGone(`https://m.test/${flight}`);
          if (event === 'clock') {
            const now = clock + flight * DAY;
            const change = { before: clock, now, movesPlaysAfter: null, isJump: true, isTrusted: true };
            decider.clockChanged(change, 1, NOTHING_PREPARED);
            clock = now;
          }
          if (!step.done) step = steps.next();
        }
        while (!step.done) step = steps.next();
        decider.setPlaylist(step.value);
        const stepwise = decider.tally(clock);
        const eligible = explainAll(decider, ads, clock).filter((one) => one.eligible).length;
        expect(stepwise.eligible).toBe(eligible);
        decider.setPlaylist(ads);
        expect(decider.tally(clock)).toEqual(stepwise);
      }),
    );
  });
});
