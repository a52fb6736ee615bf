import { expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import type { RecordsInput } from '../../shared/records';
import type { StageCommand } from '../../shared/stage';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { createDecider } from '../decisions/decider';
import { explainAd } from '../decisions/explain';
import { anAd, emptyBooks } from '../decisions/testing/ads-for-tests';
import type { CachedMedia } from '../media/media-cache';
import type { Records } from '../records/records-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createAdFiles } from './ad-files';
import { createOnlineSlots, type OnlineAnswer } from './online-slots';
import { createPlayer } from './player';
import { createServiceAds } from './service-ads';
import { decisionWithoutSignals } from './testing/decision-without-signals';

const SLOT_MS = 10_000;
const urlOf = (name: string) => `https://media.test/${name}.png`;

/** An ad of these pictures, the best one first. */
function adWith(id: string, ...pictures: string[]): Ad {
  const ad = anAd({}, urlOf(id), id);
  const [file] = ad.mediaFiles;
  if (file === undefined) throw new Error('it has no file');
  const mediaFiles = pictures.map((name, index) => ({
    ...file,
    url: urlOf(name),
    type: 'image/png',
    width: 1280 - index,
    height: 720 - index,
  }));
  return { ...ad, mediaFiles };
}

/**
 * A player with online delivery. The test sends the events of the stage, and the answers, and changes the disk.
 *
 * @param answerAt the ad of each answer, by the time of its request, if the service answers at once
 */
function kiosk(stored: readonly Ad[], answerAt: ((now: number) => Ad) | null = null) {
  const time = handTurnedTime();
  const commands: StageCommand[] = [];
  const reserved: (string | null)[] = [];
  const onDisk = new Set(stored.flatMap(({ mediaFiles }) => mediaFiles.map(({ url }) => url)));
  const waiting: Array<(answer: OnlineAnswer) => void> = [];
  const listeners: Array<(url: string, ready: boolean) => void> = [];
  let lookups = 0;
  const find = (url: string) => {
    lookups += 1;
    if (lookups > 10_000) throw new Error('the player never rests');
    return onDisk.has(url)
      ? ({ key: url, url, type: 'image/png', bytes: 1, sha256: url, storedAt: 0 } satisfies CachedMedia)
      : null;
  };
  const screen = { width: 1280, height: 720 };
  const files = createAdFiles(screen, { lookup: find, problems: () => [] });
  const decider = createDecider({ ...emptyBooks, mediaUrl: files.key, ads: stored });
  const lookAtDisk = () => {
    for (const ad of stored) {
      const isShowable = files.playable(ad) !== null;
      decider[isShowable ? 'mediaReady' : 'mediaGone'](files.key(ad) ?? '');
    }
  };
  lookAtDisk();
  const judge = (ad: Ad, at: number) =>
    explainAd(ad, { at, context: EMPTY_CONTEXT, counters: null, media: { state: 'ready' } });
  const records: Records = {
    async run(command, input) {
      if (command === 'reservePlay') reserved.push((input as RecordsInput<'reservePlay'>).play.mediaUrl);
      return null as never;
    },
  };
  const online = createOnlineSlots({
    delivery: 'online',
    judge,
    request: () =>
      answerAt
        ? Promise.resolve({ kind: 'ads', ads: [answerAt(time.clock.now())], rejected: [] })
        : new Promise((resolve) => waiting.push(resolve)),
    files,
    media: { want() {}, onChange: (listener) => void listeners.push(listener) },
    capHit() {},
    answered() {},
    changed: () => player.changed(),
    clock: time.clock,
    schedule: time.schedule,
    pause: async () => {},
    log: silentLog,
  });
  const player = createPlayer({
    sendToStage: (command) => void commands.push(command),
    stageSilentMs: () => 0,
    ads: createServiceAds({
      decider,
      online,
      judge,
      files,
      blockOf: () => null,
      capHit() {},
      kiosk: { screen, userAgent: 'kiosk', player: 'Endcap/test', params: {} },
      openPage: async () => null,
      media: {
        lookup: find,
        verified: async (url) => find(url),
        strike() {},
        passOverPages() {},
        pathOf: ({ key }) => key,
      },
      beacons: { fire() {}, settled: async () => {} },
      imageMs: SLOT_MS,
      volume: () => 0,
    }),
    online,
    books: records,
    isOpen: () => true,
    beacons: { settled: async () => {} },
    clock: time.clock,
    schedule: time.schedule,
    newId: () => 'play',
    log: silentLog,
    environment: 'store',
    decision: decisionWithoutSignals,
    tell() {},
  });
  const event = async (what: Parameters<typeof player.onStageEvent>[0]) => {
    player.onStageEvent(what);
    await time.settle();
  };
  const report = { viewedMs: SLOT_MS, presentedFrames: null, droppedFrames: null, stalls: null };
  const self = {
    player,
    time,
    reserved,
    /** The display changes. */
    async resize(width: number, height: number) {
      Object.assign(screen, { width, height });
      player.changed();
      await time.settle();
    },
    /** The file that the stage was told to prepare last. */
    prepared: () =>
      commands
        .flatMap((command) =>
          command.type === 'prepare' && 'url' in command.creative ? [command.creative.url] : [],
        )
        .at(-1),
    ready: () => event({ type: 'ready' }),
    loaded: (slot: number, durationMs = SLOT_MS) => event({ type: 'prepared', slot, durationMs }),
    presented: (slot: number) => event({ type: 'presented', slot }),
    ending: (slot: number) => event({ type: 'ending', slot, remainingMs: 250 }),
    ended: (slot: number, reason: 'ended' | 'stopped' = 'ended') =>
      event({ type: 'ended', slot, reason, report }),
    /** How many requests wait for their answer. */
    requests: () => waiting.length,
    async answer(...ads: readonly Ad[]) {
      waiting.shift()?.({ kind: 'ads', ads, rejected: [] });
      await time.settle();
    },
    /** A file arrives, or may not play any more. */
    async disk(name: string, isThere: boolean) {
      if (isThere) onDisk.add(urlOf(name));
      else onDisk.delete(urlOf(name));
      lookAtDisk();
      for (const listener of listeners) listener(urlOf(name), isThere);
      player.changed();
      await time.settle();
    },
    /** A file may not play any more, which the decider was not told yet. */
    loseUnseen: (name: string) => void onDisk.delete(urlOf(name)),
    /** The first slot is on the screen. The service was asked for the second one, or will be if it is long. */
    async begin(durationMs = SLOT_MS) {
      await self.ready();
      await self.loaded(1, durationMs);
      await self.presented(1);
    },
  };
  return self;
}

const cached = (name: string) => `media://cache/${urlOf(name)}`;

it('the stored ad of a slot is prepared while its answer is awaited, and begins when the slot before it ends', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  expect(on.prepared()).toBe(cached('b'));
  await on.loaded(2);
  await on.time.advance(SLOT_MS - 300);
  await on.ending(1);
  expect(on.reserved).toEqual([urlOf('a'), urlOf('b')]);
});

it('an online ad whose file comes too late for its slot is not played in the slot after', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  await on.answer(adWith('late', 'late'));
  await on.loaded(2);
  await on.time.advance(SLOT_MS - 300);
  await on.disk('late', true);
  await on.ending(1);
  await on.ended(1);
  await on.presented(2);
  expect(on.prepared()).toBe(cached('a'));
});

it('the first online ad of an answer takes the slot from the second one when its file comes in time (rule 5)', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  await on.disk('second', true);
  await on.answer(adWith('first', 'first'), adWith('second', 'second'));
  expect(on.prepared()).toBe(cached('second'));
  await on.loaded(3);
  await on.disk('first', true);
  expect(on.prepared()).toBe(cached('first'));
});

it('an online ad is not played long after the slot that it was for, as when staff paused the kiosk', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  await on.disk('online', true);
  await on.answer(adWith('online', 'online'));
  expect(on.prepared()).toBe(cached('online'));
  on.player.hold('maintenance', true);
  await on.ended(1, 'stopped');
  await on.time.advance(10 * 60_000);
  on.player.hold('maintenance', false);
  await on.time.settle();
  expect(on.prepared()).toBe(cached('b'));
});

it('an online ad plays after a short interruption', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  await on.disk('online', true);
  await on.answer(adWith('online', 'online'));
  on.player.hold('overlay', true);
  on.player.hold('overlay', false);
  await on.ended(1, 'stopped');
  expect(on.prepared()).toBe(cached('online'));
});

it('an online ad that may play for 30 s plays after a film of a minute', async () => {
  const brief = adWith('online', 'online');
  const on = kiosk([adWith('film', 'film')], (now) => ({
    ...brief,
    metadata: { ...brief.metadata, expiresAt: now + 30_000 },
  }));
  await on.disk('online', true);
  await on.begin(60_000);
  await on.loaded(2);
  await on.time.advance(59_750);
  await on.loaded(3);
  await on.ending(1);
  expect(on.reserved).toEqual([urlOf('film'), urlOf('online')]);
});

it('no online ad is requested while staff pause the kiosk, where a long slot was cut short (rule 14)', async () => {
  const on = kiosk([adWith('film', 'film')]);
  await on.begin(60_000);
  await on.time.advance(10_000);
  on.player.hold('maintenance', true);
  await on.ended(1, 'stopped');
  await on.time.advance(10 * 60_000);
  expect(on.requests()).toBe(0);
});

it('an online ad whose file may not play any more just before its slot is not shown (rule 11)', async () => {
  const on = kiosk([adWith('a', 'a'), adWith('b', 'b')]);
  await on.begin();
  await on.disk('online', true);
  await on.answer(adWith('online', 'online'));
  await on.loaded(3);
  await on.time.advance(SLOT_MS - 300);
  await on.disk('online', false);
  await on.ending(1);
  expect(on.reserved).toEqual([urlOf('a')]);
  expect(on.prepared()).toBe(cached('b'));
});

it.each([5_000, 300])(
  'of an ad with several files none is shown that may not play any more %d ms before its slot',
  async (before) => {
    const on = kiosk([adWith('two', 'best', 'second')]);
    await on.begin();
    await on.loaded(2);
    await on.time.advance(SLOT_MS - before);
    await on.disk('best', false);
    await on.ending(1);
    expect(on.reserved).toEqual([urlOf('best')]);
    expect(on.prepared()).toBe(cached('second'));
  },
);

it('an ad without a file is not tried without end, and plays again once it has one', async () => {
  const on = kiosk([adWith('a', 'a')]);
  await on.begin();
  await on.loaded(2);
  on.loseUnseen('a');
  await on.time.advance(SLOT_MS - 300);
  await on.ending(1);
  await on.ended(1);
  expect(on.reserved).toEqual([urlOf('a')]);
  await on.disk('a', true);
  await on.loaded(3);
  expect(on.reserved).toEqual([urlOf('a'), urlOf('a')]);
});

it('the ad under way and the prepared one stay when the screen changes its size; the next file is for the new size', async () => {
  const stored = ['a', 'b'].map((id) => {
    const ad = adWith(id, `${id}-lying`, `${id}-upright`);
    const [lying, upright] = ad.mediaFiles;
    if (!lying || !upright) throw new Error('it has two files');
    return { ...ad, mediaFiles: [lying, { ...upright, width: 720, height: 1280 }] };
  });
  const on = kiosk(stored);
  await on.begin();
  await on.loaded(2);
  await on.resize(720, 1280);
  expect(on.prepared()).toBe(cached('b-lying'));
  await on.time.advance(SLOT_MS - 300);
  await on.ending(1);
  await on.ended(1);
  await on.presented(2);
  expect(on.reserved).toEqual([urlOf('a-lying'), urlOf('b-lying')]);
  // Least recently played, whichever of its files that was (rule 9).
  expect(on.prepared()).toBe(cached('a-upright'));
});
