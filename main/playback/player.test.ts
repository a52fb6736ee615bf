import { describe, expect, it } from 'vitest';
import type { Ad, FrequencyCap } from '../../shared/ad';
import { instant } from '../../shared/clock';
import { silentLog } from '../../shared/log';
import type { RecordsCommand, RecordsInput } from '../../shared/records';
import type { StageCommand } from '../../shared/stage';
import { beaconUrls } from '../beacons/macros';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { createDecider } from '../decisions/decider';
import { explainAd } from '../decisions/explain';
import { anAd, anAudience, emptyBooks, onlyMedia, weather } from '../decisions/testing/ads-for-tests';
import type { CachedMedia } from '../media/media-cache';
import type { Records } from '../records/records-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { OnlineSlots } from './online-slots';
import { createPlayer } from './player';
import { keepMediaInUse, type PlayerFact } from './player-fact';
import { createServiceAds } from './service-ads';
import { decisionWithoutSignals } from './testing/decision-without-signals';
import { oneFileEach } from './testing/one-file-each';

const cached = (url: string): CachedMedia => ({
  key: `key-${url}`,
  url,
  type: url.endsWith('mp4') ? 'video/mp4' : url.endsWith('html') ? 'text/html' : 'image/png',
  bytes: 1,
  sha256: `sha-${url}`,
  storedAt: 0,
});

const FLIGHT_ONCE = { window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 1 };

/** A player with a stage whose events the test sends, and books that the test can break. */
function world(ads: readonly Ad[], online: OnlineSlots | null = null, isBlocked = (_ad: Ad) => false) {
  const time = handTurnedTime();
  const commands: StageCommand[] = [];
  const stored: Array<{ command: RecordsCommand; input: unknown }> = [];
  const fired: Array<[event: string, urls: readonly string[], errorCode?: number | null]> = [];
  const facts: PlayerFact[] = [];
  const loggedErrors: string[] = [];
  const struck: string[] = [];
  const lost: string[] = [];
  const passedOver: Promise<unknown>[] = [];
  /** Reports an error of each guest that was opened so far. */
  const guestErrors: Array<(detail: string) => void> = [];
  const capHits: [window: string, ads: number][] = [];
  let broken = false;
  let open = true;
  let volume = 0;
  let whenTold: (fact: PlayerFact) => void = () => {};
  let ids = 0;
  const decider = createDecider({
    ...emptyBooks,
    ads,
  });
  for (const url of ads.flatMap((ad) => onlyMedia(ad) ?? [])) decider.mediaReady(url);
  const records: Records = {
    async run(command, input) {
      if (broken) throw new Error('the disk is full');
      stored.push({ command, input });
      return null as never;
    },
  };
  const player = createPlayer({
    sendToStage: (command) => void commands.push(command),
    stageSilentMs: () => 0,
    ads: createServiceAds({
      kiosk: { screen: { width: 1280, height: 720 }, userAgent: 'kiosk', player: 'Endcap/test', params: {} },
      decider,
      online,
      judge: (ad, at) =>
        explainAd(ad, { at, context: EMPTY_CONTEXT, counters: null, media: { state: 'ready' } }),
      blockOf: (ad) => (isBlocked(ad) ? { kind: 'ad', id: ad.id } : null),
      files: oneFileEach(),
      capHit: (window, ads) => void capHits.push([window, ads]),
      openPage: async (path, onError) => {
        guestErrors.push(onError);
        if (path.includes('no-guest')) throw new Error('no guest can be opened');
        if (path.includes('no-partition')) return new Promise(() => {});
        if (path.includes('unreadable')) return null;
        return { url: `guest:${path}`, partition: 'guests' };
      },
      media: {
        pathOf: ({ key }) => `/cache/${key}`,
        lookup: (url) => (struck.includes(url) ? null : cached(url)),
        async verified(url) {
          if (!lost.includes(url)) return cached(url);
          decider.mediaGone(url);
          return null;
        },
        strike(url, sha256) {
          // As the cache does: only against the version that is stored.
          if (sha256 !== cached(url).sha256) return;
          struck.push(url);
          decider.mediaGone(url);
        },
        passOverPages(place) {
          passedOver.push(place);
          for (const url of ads.flatMap((ad) => onlyMedia(ad) ?? []))
            if (cached(url).type === 'text/html') decider.mediaGone(url);
        },
      },
      beacons: {
        fire(_play, event, urls, { errorCode, ...macros } = {}) {
          const moment = { at: time.clock.now(), cacheBuster: 0, errorCode: errorCode ?? null, ...macros };
          const filled = urls.map((url) => beaconUrls(moment, null)(url));
          fired.push(errorCode === undefined ? [event, filled] : [event, filled, errorCode]);
        },
        settled: async () => {},
      },
      imageMs: 10_000,
      volume: () => volume,
    }),
    online,
    isOpen: () => open,
    books: records,
    beacons: { settled: async () => {} },
    clock: time.clock,
    schedule: time.schedule,
    newId: () => `play-${++ids}`,
    log: { ...silentLog, error: (event) => void loggedErrors.push(event) },
    environment: 'store',
    decision: decisionWithoutSignals,
    tell: (fact) => {
      facts.push(fact);
      whenTold(fact);
    },
  });
  const report = { viewedMs: 10_000, presentedFrames: 250, droppedFrames: 3, stalls: 2 };
  return {
    player,
    time,
    commands,
    stored,
    fired,
    facts,
    loggedErrors,
    struck,
    lost,
    passedOver,
    guestErrors,
    capHits,
    breakBooks: (now: boolean) => {
      broken = now;
    },
    onFact: (call: (fact: PlayerFact) => void) => {
      whenTold = call;
    },
    close: (now: boolean) => {
      open = !now;
    },
    setContext: decider.setContext,
    setVolume: (now: number) => {
      volume = now;
    },
    last: () => commands.at(-1),
    inputs: <C extends RecordsCommand>(command: C) =>
      stored.filter((entry) => entry.command === command).map((entry) => entry.input as RecordsInput<C>),
    async ready() {
      player.onStageEvent({ type: 'ready' });
      await time.settle();
    },
    async prepared(slot: number) {
      player.onStageEvent({ type: 'prepared', slot, durationMs: 10_000 });
      await time.settle();
    },
    async presented(slot: number) {
      player.onStageEvent({ type: 'presented', slot });
      await time.settle();
    },
    async ended(slot: number, reason: 'ended' | 'stopped' | 'stalled' = 'ended') {
      player.onStageEvent({ type: 'ended', slot, reason, report });
      await time.settle();
    },
    async failed(slot: number) {
      player.onStageEvent({ type: 'failed', slot, code: 'decode-failed', detail: 'broken' });
      await time.settle();
    },
    async ending(slot: number) {
      player.onStageEvent({ type: 'ending', slot, remainingMs: 250 });
      await time.settle();
    },
  };
}

const tracked = (id: string, url = `https://media.test/${id}.png`): Ad => ({
  ...anAd({ flightId: `flight-${id}` }, url, id),
  impressions: [`i:${id}`],
  errors: [`e:${id}`],
  tracking: ['start', 'midpoint', 'complete'].map((event) => ({
    event,
    url: `${event}:${id}`,
    offset: null,
  })),
});

/** Online delivery that offers this ad for each slot; null: none. */
const onlineSlots = (candidate: () => Ad | null) =>
  ({ candidate, idle() {}, slotBegan() {}, slotEnded() {} }) as Partial<OnlineSlots> as OnlineSlots;

/** A kiosk whose only ad, of a flight with this cap, has played once. */
async function playedOnce(cap: FrequencyCap) {
  const kiosk = world([anAd({ flightId: 'f', frequencyCaps: [cap] }, 'https://media.test/a.png', 'a')]);
  await kiosk.ready();
  await kiosk.prepared(1);
  await kiosk.presented(1);
  await kiosk.ending(1);
  await kiosk.ended(1);
  return kiosk;
}

it('gives no strike for a late banner, and prepares the next ad', async () => {
  const kiosk = world([tracked('a'), tracked('b')]);
  await kiosk.ready();
  kiosk.player.onStageEvent({ type: 'failed', slot: 1, code: 'late', detail: 'nothing painted yet' });
  await kiosk.time.settle();
  expect([kiosk.struck, kiosk.fired]).toEqual([[], []]);
  expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 2 });
});

it('tells no advertiser of a file that the disk of this kiosk lost, and prepares the next ad', async () => {
  const kiosk = world([tracked('a'), tracked('b')]);
  kiosk.lost.push('https://media.test/a.png');
  await kiosk.ready();
  expect([kiosk.struck, kiosk.fired]).toEqual([[], []]);
  expect(kiosk.last()).toMatchObject({
    type: 'prepare',
    creative: { url: 'media://cache/key-https://media.test/b.png' },
  });
});

it('the events of a play carry the times that its record has, however busy the machine is', async () => {
  const impressions = ['i?at=[TIMESTAMP]'];
  const tracking = [{ event: 'complete', url: 'complete?at=[TIMESTAMP]', offset: null }];
  const kiosk = world([{ ...tracked('a'), impressions, tracking }]);
  kiosk.onFact(() => kiosk.time.drift(300));
  await kiosk.ready();
  await kiosk.prepared(1);
  await kiosk.presented(1);
  const endedAt = kiosk.time.clock.now();
  await kiosk.ended(1);
  const [settled] = kiosk.inputs('settlePlay');
  const told = (at: number) => encodeURIComponent(instant(at));
  expect(kiosk.fired.filter(([event]) => event === 'impression' || event === 'complete')).toEqual([
    ['impression', [`i?at=${told(settled?.settlement.shownAt ?? 0)}`]],
    ['complete', [`complete?at=${told(endedAt)}`]],
  ]);
});

it('a hold keeps the files that play now and next in use', async () => {
  const kiosk = world([tracked('a'), tracked('b')]);
  let inUse: readonly string[] = [];
  const media = {
    inUse(urls: Iterable<string>) {
      inUse = [...urls].sort();
    },
  };
  kiosk.onFact(keepMediaInUse(media));
  await kiosk.ready();
  await kiosk.prepared(1);
  await kiosk.presented(1);
  const both = ['https://media.test/a.png', 'https://media.test/b.png'];
  expect(inUse).toEqual(both);
  kiosk.player.hold('overlay', true);
  await kiosk.ended(1, 'stopped');
  expect(inUse).toEqual(both);
});

const onScreen = (kiosk: ReturnType<typeof world>) =>
  kiosk.facts.flatMap((fact) => (fact.kind === 'showing' ? [fact.showing.adId] : [])).at(-1);

it.each(['a hold', 'a block'])(
  'reports the brand card if %s stops a slot whose first frame is reported only afterwards',
  async (what) => {
    let blocked = false;
    const kiosk = world([tracked('a')], null, () => blocked);
    await kiosk.ready();
    await kiosk.prepared(1);
    blocked = what === 'a block';
    if (blocked) kiosk.close(true);
    if (blocked) kiosk.player.takeDown(true);
    else kiosk.player.hold('display-off', true);
    await kiosk.presented(1);
    await kiosk.ended(1, 'stopped');
    expect(kiosk.inputs('settlePlay')[0]?.settlement.outcome).toBe('interrupted');
    expect(onScreen(kiosk)).toBeNull();
  },
);

it('an ad that nothing follows is on the screen, and keeps its files, until its end (rule 13)', async () => {
  const only = tracked('a');
  const kiosk = world([{ ...only, metadata: { ...only.metadata, frequencyCaps: [FLIGHT_ONCE] } }]);
  let inUse: readonly string[] = [];
  kiosk.onFact(
    keepMediaInUse({
      inUse(urls: Iterable<string>) {
        inUse = [...urls];
      },
    }),
  );
  await kiosk.ready();
  await kiosk.prepared(1);
  await kiosk.presented(1);
  await kiosk.ending(1);
  expect(kiosk.last()).toEqual({ type: 'brand' });
  expect([onScreen(kiosk), inUse]).toEqual(['a', ['https://media.test/a.png']]);
  await kiosk.ended(1);
  expect([onScreen(kiosk), inUse]).toEqual([null, []]);
});

it('the card that follows an ad is on the screen until the next ad, though one came just before that end', async () => {
  const only = tracked('a');
  let offered: Ad | null = null;
  const kiosk = world(
    [{ ...only, metadata: { ...only.metadata, frequencyCaps: [FLIGHT_ONCE] } }],
    onlineSlots(() => offered),
  );
  await kiosk.ready();
  await kiosk.prepared(1);
  await kiosk.presented(1);
  await kiosk.ending(1);
  expect(kiosk.last()).toEqual({ type: 'brand' });
  offered = tracked('o');
  await kiosk.ended(1);
  expect([kiosk.last()?.type, onScreen(kiosk)]).toEqual(['prepare', null]);
});

describe('the log of decisions', () => {
  const decisions = (kiosk: ReturnType<typeof world>) =>
    kiosk.facts.flatMap((fact) => (fact.kind === 'decided' ? [fact.next] : []));

  it('names the source of the ad, or the card without one', async () => {
    const kiosk = world([
      { ...tracked('a'), metadata: { ...tracked('a').metadata, frequencyCaps: [FLIGHT_ONCE] } },
    ]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(decisions(kiosk)).toEqual(['offline']);
    expect(kiosk.capHits).toEqual([['FREQUENCY_CAP_WINDOW_FLIGHT', 1]]);
    await kiosk.ending(1);
    await kiosk.ended(1);
    kiosk.player.changed();
    expect(decisions(kiosk)).toEqual(['offline', 'card']);
    expect(kiosk.capHits).toHaveLength(1);
  });

  it('names online if the service chose the ad, and held if the store is closed by then', async () => {
    const online: OnlineSlots = {
      slotBegan: () => {},
      slotEnded: () => {},
      idle: () => {},
      taken: () => {},
      candidate: () => tracked('o'),
      lastAnswer: () => null,
    };
    const kiosk = world([], online);
    await kiosk.ready();
    expect(decisions(kiosk)).toEqual(['online']);
    const closed = world([tracked('a')]);
    closed.close(true);
    await closed.ready();
    expect(decisions(closed)).toEqual(['held']);
  });

  it('is in order, even if what it tells changes the choice', async () => {
    let offered: Ad | null = null;
    const kiosk = world(
      [tracked('a')],
      onlineSlots(() => offered),
    );
    kiosk.onFact(({ kind }) => {
      if (kind !== 'decided' || decisions(kiosk).length !== 2) return;
      offered = tracked('o');
      kiosk.player.changed();
    });
    await kiosk.ready();
    await kiosk.prepared(1);
    kiosk.player.onStageEvent({ type: 'presented', slot: 1 });
    expect(decisions(kiosk)).toEqual(['offline', 'offline', 'online']);
  });

  it('omits the query of an address, which may contain a key (rule 23)', async () => {
    const kiosk = world([tracked('a', 'https://media.test/a.png?key=hush')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    const shown = kiosk.facts.filter(({ kind }) => kind === 'showing' || kind === 'next');
    expect(shown).toContainEqual(
      expect.objectContaining({
        showing: expect.objectContaining({ mediaUrl: 'https://media.test/a.png?…' }),
      }),
    );
    expect(JSON.stringify(shown.flatMap((fact) => ('showing' in fact ? fact.showing : [])))).not.toContain(
      'hush',
    );
  });

  it('has the card and a hold once when they start, and an ad each time', async () => {
    const kiosk = world([tracked('a'), tracked('b')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.player.hold('overlay', true);
    kiosk.player.hold('closed', true);
    kiosk.player.hold('overlay', false);
    kiosk.player.changed();
    await kiosk.time.settle();
    expect(decisions(kiosk)).toEqual(['offline', 'offline', 'held']);
  });

  it('has the time by which a slot was longer than planned', () => {
    const kiosk = world([tracked('a')]);
    kiosk.player.onStageEvent({ type: 'left', slot: 1, overrunMs: 34 });
    expect(kiosk.facts).toEqual([{ kind: 'left-screen', overrunMs: 34 }]);
  });
});

describe('the player', () => {
  it('stores the reservation before it lets the stage show anything (rule 8)', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.last()).toMatchObject({
      type: 'prepare',
      slot: 2,
      creative: { kind: 'image', durationMs: 10_000 },
    });
    await kiosk.prepared(2);
    kiosk.player.onStageEvent({ type: 'ending', slot: 1, remainingMs: 250 });
    expect(kiosk.last()).toMatchObject({ type: 'prepare' });
    await kiosk.time.settle();
    expect(kiosk.inputs('reservePlay').slice(1)).toMatchObject([
      {
        play: { id: 'play-2', adId: 'a', outcome: 'reserved', delivery: 'offline', durationMs: 10_000 },
        flight: { flightId: 'flight-a', total: 2 },
      },
    ]);
    expect(kiosk.last()).toEqual({ type: 'show', slot: 2 });
  });

  it('stores request, flight, campaign and source with a play', async () => {
    const ids = {
      requestId: 'request-7',
      flightId: 'flight-7',
      campaignId: 'campaign-7',
      source: 'SOURCE_TYPE_SSP',
      sourceId: 'ssp-7',
    };
    const kiosk = world([anAd(ids, 'https://media.test/a.png', 'a')]);
    await kiosk.ready();
    expect(kiosk.inputs('reservePlay')).toMatchObject([{ play: ids }]);
  });

  it('stores why an ad may play (rule 29) and its stated duration with the reservation', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    expect(kiosk.inputs('reservePlay')).toMatchObject([
      { play: { decision: { allowedBy: 'untargeted' }, durationMs: 10_000 } },
    ]);
  });

  it('stores the first reservation while the stage prepares, and its duration when known', async () => {
    const kiosk = world([{ ...tracked('a', 'https://media.test/a.mp4'), durationMs: null }]);
    await kiosk.ready();
    expect(kiosk.commands.map(({ type }) => type)).toEqual(['prepare', 'show']);
    expect(kiosk.inputs('reservePlay')).toMatchObject([{ play: { id: 'play-1', durationMs: null } }]);
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.facts).toContainEqual(
      expect.objectContaining({
        kind: 'showing',
        showing: expect.objectContaining({ delivery: 'offline', durationMs: 10_000 }),
      }),
    );
    await kiosk.ended(1);
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { id: 'play-1', settlement: { outcome: 'completed', durationMs: 10_000 } },
    ]);
    expect(kiosk.inputs('reservePlay')).toHaveLength(1);
  });

  it('fires impression and start at the first frame, quartiles on the way, complete at the end (rule 15)', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    expect(kiosk.fired).toEqual([]);
    await kiosk.presented(1);
    kiosk.player.onStageEvent({ type: 'progress', slot: 1, quartile: 'midpoint' });
    await kiosk.ended(1);
    expect(kiosk.fired).toEqual([
      ['impression', ['i:a']],
      ['start', ['start:a']],
      ['midpoint', ['midpoint:a']],
      ['complete', ['complete:a']],
    ]);
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      {
        id: 'play-1',
        settlement: {
          outcome: 'completed',
          shownAt: kiosk.time.clock.now(),
          endReason: 'ended',
          viewedMs: 10_000,
          presentedFrames: 250,
          droppedFrames: 3,
          stalls: 2,
        },
        flight: null,
      },
    ]);
  });

  it('fires viewable impressions after the view, and verificationNotExecuted at the first frame (rule 15)', async () => {
    const ids = { universalAdId: { registry: 'r', value: 'v' }, adServingId: null, creativeId: 'c' };
    const asked = { ids, viewable: ['v:[UNIVERSALADID]'], notVerified: ['n:[REASON]'] };
    const kiosk = world([{ ...tracked('a'), ...asked, tracking: [] }]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.fired).toEqual([
      ['impression', ['i:a']],
      ['verificationNotExecuted', ['n:2']],
    ]);
    kiosk.player.onStageEvent({ type: 'viewed', slot: 1 });
    expect(kiosk.fired.at(-1)).toEqual(['viewable', ['v:r%20v']]);
    const [reserved] = kiosk.inputs('reservePlay');
    expect(reserved?.play.creative).toEqual({
      ...ids,
      sha256: 'sha-https://media.test/a.png',
      mediaType: 'image/png',
    });
    expect(reserved?.play).not.toHaveProperty('ids');
    expect(reserved?.play).not.toHaveProperty('audience');
  });

  it('shows and counts no play that cannot be stored, and continues once the books work again', async () => {
    const capped = anAd({ flightId: 'f', frequencyCaps: [FLIGHT_ONCE] }, 'https://media.test/a.png', 'a');
    const kiosk = world([capped]);
    kiosk.breakBooks(true);
    await kiosk.ready();
    await kiosk.prepared(1);
    expect(kiosk.commands.map((command) => command.type)).toEqual(['prepare', 'discard', 'brand']);
    expect(kiosk.facts.some((fact) => fact.kind === 'books-failing')).toBe(true);
    kiosk.breakBooks(false);
    await kiosk.time.advance(1000);
    await kiosk.prepared(2);
    expect(kiosk.last()).toEqual({ type: 'show', slot: 2 });
  });

  it('leaves room in the log while no play can be stored', async () => {
    const kiosk = world([anAd({}, 'https://media.test/a.png', 'a')]);
    kiosk.breakBooks(true);
    await kiosk.ready();
    for (let slot = 1; slot <= 600; slot += 1) {
      await kiosk.prepared(slot);
      await kiosk.time.advance(1_000);
    }
    expect(kiosk.facts.filter(({ kind }) => kind === 'books-failing')).toHaveLength(600);
    expect(kiosk.loggedErrors.length).toBeGreaterThanOrEqual(20);
    expect(kiosk.loggedErrors.length).toBeLessThanOrEqual(25);
    const shown = kiosk.facts.filter(({ kind }) => kind === 'showing');
    expect(shown).toMatchObject([{ showing: { adId: null }, moving: false }]);
  });

  it('never exceeds a cap: a flight that may play once is not prepared again', async () => {
    const kiosk = await playedOnce(FLIGHT_ONCE);
    expect(kiosk.last()).toEqual({ type: 'brand' });
    await kiosk.time.advance(3_600_000);
    expect(kiosk.inputs('reservePlay')).toHaveLength(1);
  });

  it('prepares an ad within a second once its cap lets it play again', async () => {
    const kiosk = await playedOnce({ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 1 });
    await kiosk.time.advance(50_000);
    expect(kiosk.last()).toEqual({ type: 'brand' });
    await kiosk.time.advance(11_000);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 2 });
  });

  it.each([
    ['shows an ad although storing its play took long: its own play fills its cap', 90_000, ['show'], []],
    ['shows no ad that expired while its play was stored', 30_000, ['discard'], ['late']],
  ])('%s', async (_what, expiresInMs, then, endReasons) => {
    const only = tracked('a');
    const expiresAt = handTurnedTime().clock.now() + expiresInMs;
    const kiosk = world([
      { ...only, metadata: { ...only.metadata, frequencyCaps: [FLIGHT_ONCE], expiresAt } },
    ]);
    kiosk.onFact(({ kind }) => kind === 'reserved' && kiosk.time.drift(60_000));
    await kiosk.ready();
    expect(kiosk.commands.map(({ type }) => type)).toEqual(['prepare', ...then]);
    expect(kiosk.inputs('settlePlay').map(({ settlement }) => settlement.endReason)).toEqual(endReasons);
  });

  it('makes a play without a frame void: the cap is free again', async () => {
    const capped = anAd({ flightId: 'f', frequencyCaps: [FLIGHT_ONCE] }, 'https://media.test/a.png', 'a');
    const kiosk = world([capped, tracked('b')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    kiosk.player.hold('covered', true);
    kiosk.player.onStageEvent({ type: 'failed', slot: 1, code: 'stopped', detail: 'stopped' });
    await kiosk.time.settle();
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'given-back', endReason: 'covered' }, flight: { flightId: 'f', total: 0 } },
    ]);
    expect(kiosk.fired).toEqual([]);
    expect(kiosk.struck).toEqual([]);
  });

  it('stores the hold that ended a play, though it is over and another one holds when the stage answers', async () => {
    const kiosk = world([tracked('a'), tracked('b')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.player.hold('link-view', true);
    kiosk.player.hold('link-view', false);
    kiosk.player.hold('overlay', true);
    await kiosk.ended(1, 'stopped');
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'interrupted', endReason: 'link-view' } },
    ]);
  });

  it('stores that a play ended because its ad was blocked (rule 30)', async () => {
    let blocked = '';
    const kiosk = world([tracked('a'), tracked('b')], null, ({ id }) => id === blocked);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    blocked = 'a';
    kiosk.player.takeDown(true);
    await kiosk.ended(1, 'stopped');
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'interrupted', endReason: 'blocked' } },
    ]);
  });

  it('stores that a reserved play got no frame because its ad was blocked (rule 30)', async () => {
    let blocked = '';
    const kiosk = world([tracked('a'), tracked('b')], null, ({ id }) => id === blocked);
    await kiosk.ready();
    await kiosk.prepared(1);
    blocked = 'a';
    kiosk.player.takeDown(false);
    kiosk.player.onStageEvent({ type: 'failed', slot: 1, code: 'stopped', detail: 'stopped' });
    await kiosk.time.settle();
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'given-back', endReason: 'blocked' } },
    ]);
  });

  it('skips a creative that cannot be shown, fires its error URLs and gives its file a strike (rule 11)', async () => {
    const kiosk = world([tracked('a'), tracked('b')]);
    await kiosk.ready();
    await kiosk.failed(1);
    expect(kiosk.fired).toEqual([['error', ['e:a'], 405]]);
    expect(kiosk.struck).toEqual(['https://media.test/a.png']);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 2 });
  });

  it('gives the strike to the prepared file even if another ad with the same file took its place', async () => {
    let offered: Ad | null = null;
    const online = onlineSlots(() => offered);
    const kiosk = world([tracked('a'), tracked('b')], online);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    offered = tracked('online', 'https://media.test/b.png');
    kiosk.player.changed();
    await kiosk.failed(2);
    expect(kiosk.fired.at(-1)).toEqual(['error', ['e:online'], 405]);
    expect(kiosk.struck).toEqual(['https://media.test/b.png']);
  });

  it.each([
    ['load-failed', 405],
    ['start-timeout', 402],
    ['decode-failed', 405],
  ] as const)(
    'requests the error URLs of an ad that could not be shown: %s is %i (rule 15)',
    async (code, vast) => {
      const kiosk = world([tracked('a'), tracked('b')]);
      await kiosk.ready();
      kiosk.player.onStageEvent({ type: 'failed', slot: 1, code, detail: 'as it is' });
      await kiosk.time.settle();
      expect(kiosk.fired).toEqual([['error', ['e:a'], vast]]);
    },
  );

  it.each([
    ['stalled', 402],
    ['error', 405],
  ] as const)(
    'requests the error URLs of a play that broke off after its impression: %s is %i',
    async (reason, vast) => {
      const kiosk = world([tracked('a'), tracked('b')]);
      await kiosk.ready();
      await kiosk.prepared(1);
      await kiosk.presented(1);
      kiosk.fired.length = 0;
      const report = { viewedMs: 900, presentedFrames: 20, droppedFrames: 0, stalls: 1 };
      kiosk.player.onStageEvent({ type: 'ended', slot: 1, reason, report });
      await kiosk.time.settle();
      expect(kiosk.fired).toEqual([['error', ['e:a'], vast]]);
      expect(kiosk.struck).toEqual(['https://media.test/a.png']);
      expect(kiosk.inputs('settlePlay')).toMatchObject([
        { settlement: { outcome: 'failed', endReason: reason, viewedMs: 900 } },
      ]);
    },
  );

  it('holds while any reason holds, and settles without complete (rule 14)', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.player.hold('covered', true);
    kiosk.player.hold('closed', true);
    expect(kiosk.commands.filter((command) => command.type === 'stop')).toHaveLength(1);
    await kiosk.ended(1, 'stopped');
    expect(kiosk.inputs('settlePlay')).toMatchObject([{ settlement: { outcome: 'interrupted' } }]);
    expect(kiosk.fired.map(([event]) => event)).not.toContain('complete');
    const before = kiosk.commands.length;
    kiosk.player.hold('covered', false);
    kiosk.player.changed();
    await kiosk.time.settle();
    expect(kiosk.commands).toHaveLength(before);
    kiosk.player.hold('closed', false);
    await kiosk.time.settle();
    expect(kiosk.last()).toMatchObject({ type: 'prepare' });
  });

  it('the only ad plays again at once after a play of it that is void, though that play filled its cap', async () => {
    const capped = anAd({ flightId: 'f', frequencyCaps: [FLIGHT_ONCE] }, 'https://media.test/a.png', 'a');
    const kiosk = world([capped]);
    await kiosk.ready();
    await kiosk.prepared(1);
    kiosk.player.onStageEvent({ type: 'failed', slot: 1, code: 'late', detail: 'no frame of it' });
    await kiosk.time.settle();
    expect(kiosk.commands.map(({ type }) => type)).toEqual(['prepare', 'show', 'prepare']);
    expect(kiosk.inputs('settlePlay')).toMatchObject([{ settlement: { outcome: 'given-back' } }]);
  });

  it('an ad that was offered online for a slot which began without it is not chosen for the one after it', async () => {
    let offered: Ad | null = null;
    const online = onlineSlots(() => offered);
    online.slotBegan = () => {
      offered = null;
    };
    const kiosk = world([tracked('a')], online);
    await kiosk.ready();
    await kiosk.prepared(1);
    offered = tracked('o');
    await kiosk.presented(1);
    expect(kiosk.facts.filter(({ kind }) => kind === 'decided')).toEqual([
      { kind: 'decided', next: 'offline' },
      { kind: 'decided', next: 'offline' },
    ]);
  });

  it('does not choose a creative again that fails less than a second before its slot (rule 11)', async () => {
    const kiosk = world([tracked('a'), tracked('b'), tracked('c')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.time.advance(9_200);
    await kiosk.failed(2);
    expect(kiosk.struck).toEqual(['https://media.test/b.png']);
    expect(kiosk.last()).toMatchObject({
      type: 'prepare',
      slot: 3,
      creative: { url: 'media://cache/key-https://media.test/c.png' },
    });
  });

  it('tells that the store is closed, though its display was off before that', () => {
    const kiosk = world([tracked('a')]);
    const told = () => kiosk.facts.findLast((fact) => fact.kind === 'held')?.reason;
    kiosk.player.hold('display-off', true);
    expect(told()).toBe('display-off');
    kiosk.player.hold('closed', true);
    expect(told()).toBe('closed');
    kiosk.player.hold('closed', false);
    expect(told()).toBe('display-off');
    kiosk.player.hold('display-off', false);
    expect(told()).toBeNull();
  });

  it('reserves no play for a time at which the store is closed', async () => {
    const kiosk = world([tracked('a')]);
    kiosk.close(true);
    await kiosk.ready();
    expect(kiosk.commands).toEqual([]);
    kiosk.close(false);
    kiosk.player.changed();
    await kiosk.time.settle();
    kiosk.close(true);
    await kiosk.prepared(1);
    expect(kiosk.inputs('reservePlay')).toEqual([]);
  });

  it('does not let the stage prepare an ad that was dropped while its file was checked', async () => {
    const kiosk = world([tracked('a'), tracked('b')]);
    kiosk.player.onStageEvent({ type: 'ready' });
    kiosk.player.hold('covered', true);
    kiosk.player.hold('covered', false);
    await kiosk.time.settle();
    const prepares = kiosk.commands.filter((command) => command.type === 'prepare');
    expect(prepares.map((command) => command.slot)).toEqual([2]);
  });

  it('shuts down once every shown play is settled', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    let done = false;
    const end = kiosk.player.shutDown().then(() => {
      done = true;
    });
    await kiosk.time.settle();
    expect([kiosk.last(), done]).toEqual([{ type: 'stop' }, false]);
    await kiosk.ended(1, 'stopped');
    await end;
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'interrupted', endReason: 'shut-down' } },
    ]);
  });

  it('begins no play after it shut down, even if another reason to hold ends then', async () => {
    const kiosk = world([tracked('a')]);
    kiosk.player.hold('announcement', true);
    await kiosk.ready();
    await kiosk.player.shutDown();
    const before = kiosk.commands.length;
    kiosk.player.hold('announcement', false);
    await kiosk.time.settle();
    expect(kiosk.commands).toHaveLength(before);
  });

  it('shuts down even if the window no longer answers', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    const end = kiosk.player.shutDown();
    await kiosk.time.advance(3000);
    await end;
    expect(kiosk.inputs('settlePlay')).toMatchObject([
      { settlement: { outcome: 'interrupted', endReason: 'stage-lost' } },
    ]);
  });

  it('fires each progress event once its offset was played', async () => {
    const progress = (url: string, offset: string) => ({ event: 'progress', url, offset });
    const kiosk = world([
      { ...tracked('a'), tracking: [progress('p:5s', '00:00:05'), progress('p:30%', '30%')] },
    ]);
    await kiosk.ready();
    expect(kiosk.commands[0]).toMatchObject({
      creative: {
        marks: [
          { of: 'time', ms: 5_000 },
          { of: 'length', share: 0.3 },
        ],
      },
    });
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.player.onStageEvent({ type: 'mark', slot: 1, mark: 1 });
    kiosk.player.onStageEvent({ type: 'mark', slot: 1, mark: 0 });
    kiosk.player.onStageEvent({ type: 'mark', slot: 2, mark: 0 });
    expect(kiosk.fired.filter(([event]) => event === 'progress')).toEqual([
      ['progress', ['p:30%']],
      ['progress', ['p:5s']],
    ]);
  });

  it('shows a page in its own guest', async () => {
    const kiosk = world([tracked('a', 'https://media.test/a.html')]);
    await kiosk.ready();
    expect(kiosk.commands[0]).toMatchObject({
      type: 'prepare',
      creative: {
        kind: 'page',
        url: 'guest:/cache/key-https://media.test/a.html',
        partition: 'guests',
        durationMs: 10_000,
      },
    });
  });

  it('settles a play with the errors of the guest that showed, not of the next one', async () => {
    const kiosk = world([
      tracked('a', 'https://media.test/a.html'),
      tracked('b', 'https://media.test/b.html'),
    ]);
    await kiosk.ready();
    // A script may fail as soon as it is loaded.
    kiosk.guestErrors[0]?.('Uncaught Error: while it loads');
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.guestErrors[0]?.('Uncaught Error: while it shows');
    expect(kiosk.guestErrors).toHaveLength(2);
    kiosk.guestErrors[1]?.('Uncaught Error: of the next');
    await kiosk.prepared(2);
    await kiosk.ending(1);
    await kiosk.ended(1);
    await kiosk.presented(2);
    await kiosk.ended(2, 'stopped');
    expect(kiosk.inputs('settlePlay').map(({ settlement }) => settlement.guestErrors)).toEqual([
      ['Uncaught Error: while it loads', 'Uncaught Error: while it shows'],
      ['Uncaught Error: of the next'],
    ]);
  });

  it('settles a play without errors of a guest without any', async () => {
    const kiosk = world([tracked('a')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.ended(1);
    expect(kiosk.inputs('settlePlay').map(({ settlement }) => 'guestErrors' in settlement)).toEqual([false]);
  });

  it.each(['png', 'html'])(
    'shows a creative (%s) for ten minutes at most, whatever its duration',
    async (type) => {
      const days = { ...tracked('a', `https://media.test/a.${type}`), durationMs: 416 * 86_400_000 };
      const kiosk = world([days]);
      await kiosk.ready();
      expect(kiosk.commands[0]).toMatchObject({ type: 'prepare', creative: { durationMs: 600_000 } });
    },
  );

  it('keeps a prepared video however long it waits for its slot, and then reports it as moving', async () => {
    const kiosk = world([tracked('a'), tracked('b', 'https://media.test/b.mp4')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.prepared(2);
    await kiosk.time.advance(60_000);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 2 });
    await kiosk.ending(1);
    await kiosk.presented(2);
    const shown = kiosk.facts.filter(({ kind }) => kind === 'showing');
    expect(shown).toMatchObject([{ moving: false }, { moving: true }]);
  });

  it('lets the stage refuse a video of more than ten minutes', async () => {
    const kiosk = world([tracked('a', 'https://media.test/a.mp4')]);
    await kiosk.ready();
    expect(kiosk.commands[0]).toMatchObject({
      type: 'prepare',
      creative: { kind: 'video', longestMs: 600_000 },
    });
  });

  it.each(['png', 'html'])(
    'shows a creative (%s) for a fifth of a second at least, whatever its duration',
    async (type) => {
      const flash = { ...tracked('a', `https://media.test/a.${type}`), durationMs: 10 };
      const kiosk = world([flash]);
      await kiosk.ready();
      expect(kiosk.commands[0]).toMatchObject({ type: 'prepare', creative: { durationMs: 200 } });
    },
  );

  it('continues with the next ad if the file of one cannot be read, and strikes that file', async () => {
    const kiosk = world([tracked('a', 'https://media.test/unreadable.html'), tracked('b')]);
    await kiosk.ready();
    await kiosk.time.settle();
    expect(kiosk.struck).toContain('https://media.test/unreadable.html');
    expect(kiosk.fired).toContainEqual(['error', ['e:a'], 405]);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', creative: { kind: 'image' } });
  });

  it.each([
    ['waits for a guest without end', 'no-partition', 10_000],
    ['gets no guest', 'no-guest', 0],
  ])('continues with the next ad if a page %s, and strikes no file', async (_what, name, waitedMs) => {
    const page = tracked('a', `https://media.test/${name}.html`);
    const kiosk = world([page, tracked('b', `https://media.test/other-${name}.html`), tracked('c')]);
    await kiosk.ready();
    expect(kiosk.commands).toHaveLength(waitedMs === 0 ? 1 : 0);
    await kiosk.time.advance(waitedMs);
    expect(kiosk.commands).toMatchObject([{ type: 'prepare', slot: 2, creative: { kind: 'image' } }]);
    expect([kiosk.struck, kiosk.fired, kiosk.stored]).toEqual([[], [], []]);
    expect(kiosk.passedOver).toHaveLength(1);
  });

  it('passes over pages that get no guest even if an ad with the same page took the place of the one that waits', async () => {
    const page = 'https://media.test/no-partition.html';
    let offered: Ad | null = null;
    const online = onlineSlots(() => offered);
    const kiosk = world([tracked('a'), tracked('b', page)], online);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    offered = tracked('online', page);
    kiosk.player.changed();
    offered = null;
    await kiosk.time.advance(10_000);
    expect(kiosk.passedOver).toHaveLength(1);
  });

  it('passes over no page because of a slot that was given up while it waited for a guest', async () => {
    const kiosk = world([tracked('p', 'https://media.test/no-partition.html')]);
    await kiosk.ready();
    await kiosk.time.advance(5_000);
    kiosk.player.hold('overlay', true);
    kiosk.player.hold('overlay', false);
    await kiosk.time.advance(5_000);
    expect(kiosk.passedOver).toHaveLength(0);
    await kiosk.time.advance(5_000);
    expect(kiosk.passedOver).toHaveLength(1);
  });

  it('fills a slot with the online ad that arrived for it, and counts it for its flight', async () => {
    const fresh = tracked('online');
    let offered: Ad | null = fresh;
    const kiosk = world([tracked('a')], {
      slotBegan() {},
      slotEnded() {},
      idle() {},
      candidate: () => offered,
      taken() {
        offered = null;
      },
      lastAnswer: () => null,
    });
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.inputs('reservePlay')).toMatchObject([
      { play: { adId: 'online', delivery: 'online' }, flight: { flightId: 'flight-online', total: 1 } },
    ]);
    expect(kiosk.last()).toMatchObject({
      type: 'prepare',
      slot: 2,
      creative: { url: 'media://cache/key-https://media.test/a.png' },
    });
  });

  it('the stored ad of the same source, flight and file does not follow an online ad (rule 9)', async () => {
    let offered: Ad | null = tracked('a');
    const online = onlineSlots(() => offered);
    online.taken = () => {
      offered = null;
    };
    const kiosk = world([tracked('a'), tracked('b')], online);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.inputs('reservePlay')).toMatchObject([
      { play: { adId: 'a', delivery: 'online' }, recency: { adId: 'a' }, sourceMix: null },
    ]);
    expect(kiosk.last()).toMatchObject({
      type: 'prepare',
      slot: 2,
      creative: { url: 'media://cache/key-https://media.test/b.png' },
    });
  });

  describe('asks for online ads while nothing is on the screen', () => {
    const asking = (candidate: () => Ad | null = () => null) => {
      const told: string[] = [];
      const online: OnlineSlots = {
        slotBegan: () => void told.push('slot'),
        slotEnded: () => void told.push('over'),
        idle: () => void told.push('idle'),
        candidate,
        taken() {},
        lastAnswer: () => null,
      };
      return { told, online };
    };

    /** A player that shows an online ad, after which nothing may play. */
    const showing = async () => {
      let offered: Ad | null = tracked('o');
      const { told, online } = asking(() => offered);
      const kiosk = world([], online);
      await kiosk.ready();
      await kiosk.prepared(1);
      await kiosk.presented(1);
      offered = null;
      return { told, kiosk };
    };

    it('from the start, without a stored ad', async () => {
      const { told, online } = asking();
      await world([], online).ready();
      expect(told).toEqual(['idle']);
    });

    it('after a pause', async () => {
      const { told, kiosk } = await showing();
      kiosk.player.hold('overlay', true);
      await kiosk.ended(1, 'stopped');
      expect(told).toEqual(['slot', 'over']);
      kiosk.player.hold('overlay', false);
      expect(told).toEqual(['slot', 'over', 'idle']);
    });

    it('not while the store is closed (rule 14)', async () => {
      const { told, online } = asking();
      const kiosk = world([], online);
      kiosk.close(true);
      await kiosk.ready();
      expect(told).toEqual([]);
      kiosk.close(false);
      kiosk.player.changed();
      expect(told).toEqual(['idle']);
    });

    it('after the kiosk window came back', async () => {
      const { told, kiosk } = await showing();
      kiosk.player.onStageLost();
      expect(told).toEqual(['slot', 'over']);
      await kiosk.ready();
      expect(told).toEqual(['slot', 'over', 'idle']);
      expect(onScreen(kiosk)).toBeNull();
    });
  });

  it('tells online delivery that a slot is over at its end, not when the play after it becomes void before', async () => {
    const told: string[] = [];
    const online = onlineSlots(() => null);
    online.slotEnded = () => void told.push('over');
    const kiosk = world([tracked('a'), tracked('b')], online);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.prepared(2);
    await kiosk.ending(1);
    kiosk.player.onStageEvent({ type: 'failed', slot: 2, code: 'late', detail: '' });
    await kiosk.time.settle();
    expect(kiosk.inputs('settlePlay')).toMatchObject([{ settlement: { outcome: 'given-back' } }]);
    expect(told).toEqual([]);
    await kiosk.ended(1);
    expect(told).toEqual(['over']);
  });

  it('fires progress events with the position that they are for', async () => {
    const offset = '00:00:05';
    const tracking = [{ event: 'progress', url: 'progress?at=[ADPLAYHEAD]', offset }];
    const kiosk = world([{ ...tracked('a'), durationMs: 10_000, tracking }]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.player.onStageEvent({ type: 'mark', slot: 1, mark: 0 });
    expect(kiosk.fired.at(-1)).toEqual(['progress', ['progress?at=00%3A00%3A05.000']]);
  });

  it('fires each event with the state of the sound at that moment', async () => {
    const tracking = ['start', 'midpoint'].map((event) => ({ event, url: '[PLAYERSTATE]', offset: null }));
    const kiosk = world([{ ...tracked('a'), tracking }]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.fired.at(-1)).toEqual(['start', ['muted%2Cfullscreen']]);
    kiosk.setVolume(0.5);
    kiosk.player.onStageEvent({ type: 'progress', slot: 1, quartile: 'midpoint' });
    expect(kiosk.fired.at(-1)).toEqual(['midpoint', ['fullscreen']]);
  });

  it('prepares the ad that a signal brings in time, instead of the prepared one (rule 11)', async () => {
    const audience = anAudience([weather('SUN')]);
    const sunny = tracked('sunny');
    const forSun = { ...sunny, metadata: { ...sunny.metadata, audience } };
    const kiosk = world([tracked('a'), forSun, tracked('b')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.last()).toMatchObject({ slot: 2, creative: { url: expect.stringContaining('b.png') } });
    kiosk.setContext({ ...EMPTY_CONTEXT, weather: { types: ['SUN'] } });
    kiosk.player.changed();
    await kiosk.time.settle();
    expect(kiosk.last()).toMatchObject({ slot: 3, creative: { url: expect.stringContaining('sunny.png') } });
  });

  it('prepares the file again for an ad that reports other points of it', async () => {
    const at = Date.UTC(2026, 0, 5, 12);
    const film = 'https://media.test/film.mp4';
    const progress = (id: string, offset: string): Ad => ({
      ...tracked(id, film),
      tracking: [{ event: 'progress', url: `progress:${id}`, offset }],
    });
    const brief = progress('brief', '00:00:05');
    const expiring = { ...brief, metadata: { ...brief.metadata, expiresAt: at + 10_000 } };
    const kiosk = world([tracked('a'), expiring, progress('other', '00:00:08')]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.last()).toMatchObject({ slot: 2, creative: { marks: [{ of: 'time', ms: 5_000 }] } });
    await kiosk.prepared(2);
    await kiosk.time.advance(9_900);
    await kiosk.ending(1);
    expect(kiosk.last()).toMatchObject({
      type: 'prepare',
      slot: 3,
      creative: { url: `media://cache/key-${film}`, marks: [{ of: 'time', ms: 8_000 }] },
    });
  });

  it('prepares the file again for an ad that states another duration', async () => {
    const picture = 'https://media.test/picture.png';
    const brief = { ...tracked('brief', picture), durationMs: 5_000 };
    const expiresAt = Date.UTC(2026, 0, 5, 12) + 10_000;
    const expiring = { ...brief, metadata: { ...brief.metadata, expiresAt } };
    const kiosk = world([tracked('a'), expiring, { ...tracked('other', picture), durationMs: 8_000 }]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    expect(kiosk.last()).toMatchObject({ slot: 2, creative: { durationMs: 5_000 } });
    await kiosk.prepared(2);
    await kiosk.time.advance(9_900);
    await kiosk.ending(1);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 3, creative: { durationMs: 8_000 } });
  });

  it('checks an online ad again at its slot, and uses the playlist if it has expired', async () => {
    const time = Date.UTC(2026, 0, 5, 12);
    const brief = {
      ...tracked('brief'),
      metadata: { ...tracked('brief').metadata, expiresAt: time + 11_000 },
    };
    let offered: Ad | null = null;
    const kiosk = world([tracked('a')], {
      slotBegan() {},
      slotEnded() {},
      idle() {},
      candidate: (at) => (offered && at <= (offered.metadata.expiresAt ?? at) ? offered : null),
      taken() {},
      lastAnswer: () => null,
    });
    await kiosk.ready();
    await kiosk.prepared(1);
    offered = brief;
    await kiosk.presented(1);
    expect(kiosk.last()).toMatchObject({
      slot: 2,
      creative: { url: 'media://cache/key-https://media.test/brief.png' },
    });
    await kiosk.prepared(2);
    await kiosk.time.advance(12_000);
    await kiosk.ending(1);
    expect(kiosk.inputs('reservePlay')).toMatchObject([{ play: { adId: 'a' } }]);
    expect(kiosk.last()).toMatchObject({ type: 'prepare', slot: 3 });
  });
});

describe('the creatives on the stage', () => {
  const page = 'https://media.test/p.html';
  const picture = 'https://media.test/a.png';
  const file = (url: string, guest: string | null) => ({
    sha256: `sha-${url}`,
    name: url,
    guest,
    type: url === page ? 'text/html' : 'image/png',
  });
  const drawnOf = (slot: { readonly files: readonly unknown[] } | null) => slot?.files ?? null;

  it('are the current and the waiting one, with bytes and guest', async () => {
    const kiosk = world([tracked('a', picture), tracked('p', page)]);
    await kiosk.ready();
    expect(drawnOf(kiosk.player.drawnOnStage().front)).toBeNull();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    const { front, back } = kiosk.player.drawnOnStage();
    expect(drawnOf(front)).toEqual([file(picture, null)]);
    expect(back).toEqual({ files: [file(page, `guest:/cache/key-${page}`)], isReady: false });
    await kiosk.prepared(2);
    expect(kiosk.player.drawnOnStage().back?.isReady).toBe(true);
  });

  it('are the one that is being raised once the previous one has ended', async () => {
    const kiosk = world([tracked('a', picture), tracked('p', page)]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.prepared(2);
    await kiosk.ending(1);
    // Monotonic, to be compared with the last frame even if the clock is set meanwhile (rule 10).
    const raisedAt = kiosk.time.clock.monotonic();
    expect(kiosk.player.drawnOnStage()).toMatchObject({ front: { files: [{ name: picture }], raisedAt } });
    await kiosk.ended(1);
    expect(kiosk.player.drawnOnStage()).toMatchObject({
      front: { files: [{ name: page }], isReady: true, raisedAt },
      back: null,
    });
  });

  it('include the current one, however many are prepared and given up while it plays', async () => {
    const kiosk = world([tracked('p', page), tracked('a', picture)]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.guestErrors[0]?.('Uncaught Error: a');
    for (let slot = 2; slot < 12; slot += 1) {
      kiosk.player.onStageEvent({ type: 'failed', slot, code: 'late', detail: 'nothing painted yet' });
      await kiosk.time.settle();
    }
    const drawn = [file(page, `guest:/cache/key-${page}`)];
    expect(drawnOf(kiosk.player.drawnOnStage().front)).toEqual(drawn);
    await kiosk.ended(1);
    expect(kiosk.facts.filter(({ kind }) => kind === 'settled')).toMatchObject([
      { play: { guestErrors: ['Uncaught Error: a'] }, drawn },
    ]);
  });

  it.each([
    ['a reservation that failed', (kiosk: ReturnType<typeof world>) => kiosk.prepared(2)],
    ['a hold', async ({ player }: ReturnType<typeof world>) => player.hold('overlay', true)],
  ])('are the brand card once it took the place of an ad that had ended, after %s', async (_, happens) => {
    const kiosk = world([tracked('a', picture), tracked('p', page)]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    kiosk.breakBooks(true);
    await kiosk.ended(1);
    expect(drawnOf(kiosk.player.drawnOnStage().front)).toEqual([file(picture, null)]);
    await happens(kiosk);
    expect(kiosk.player.drawnOnStage().front).toBeNull();
    const told = kiosk.facts.flatMap((fact) => (fact.kind === 'showing' ? [fact.showing.adId] : []));
    expect(told).toEqual(['a', null]);
  });

  it('are reported with each settled play', async () => {
    const kiosk = world([tracked('a', picture)]);
    await kiosk.ready();
    await kiosk.prepared(1);
    await kiosk.presented(1);
    await kiosk.ended(1);
    expect(kiosk.facts.filter(({ kind }) => kind === 'settled')).toMatchObject([
      { play: { outcome: 'completed' }, drawn: [file(picture, null)] },
    ]);
  });
});
