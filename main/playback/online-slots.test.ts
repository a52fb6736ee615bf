import { describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import { EMPTY_CONTEXT } from '../decisions/audience';
import type { CountedPlay } from '../decisions/explain';
import { anAd } from '../decisions/testing/ads-for-tests';
import { explainAdFromPlays } from '../decisions/testing/explain-from-plays';
import type { RejectedAd } from '../service/ads-reading/read-ads';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createOnlineSlots, type OnlineAnswer } from './online-slots';
import { oneFileEach } from './testing/one-file-each';

/** A service whose answers the test gives, and a disk that the test fills. */
function world(delivery: 'online' | 'auto' = 'online', audience: 'trusted' | 'judged' = 'trusted') {
  const time = handTurnedTime();
  /** How far the clock was set since the start, ms. */
  let set = 0;
  const clock = { ...time.clock, now: () => time.clock.now() + set };
  const plays: CountedPlay[] = [];
  const logged: { readonly message: string }[] = [];
  const warnings: string[] = [];
  const capHits: [window: string, ads: number][] = [];
  const answered: (string | null)[][] = [];
  const onDisk = new Set<string>();
  const asked: number[] = [];
  /** When each request was sent, ms since the start. */
  const askedAt: number[] = [];
  const startedAt = time.clock.monotonic();
  const waiting: Array<(answer: OnlineAnswer) => void> = [];
  let told: (url: string, ready: boolean) => void = () => {};
  let changes = 0;
  const wishes = { online: [] as string[], late: [] as string[] };
  /** All wanted files after each change of those for the next slot, those that came too late for theirs last. */
  const wanted: string[][] = [];
  const slots = createOnlineSlots({
    delivery,
    judge: (ad, at, canBeShown) =>
      explainAdFromPlays(ad, {
        at,
        context: EMPTY_CONTEXT,
        plays,
        audience,
        media: { state: canBeShown ? 'ready' : 'unsupported' },
      }),
    request: (deadlineMs) => {
      asked.push(deadlineMs);
      askedAt.push(time.clock.monotonic() - startedAt);
      return new Promise((resolve) => waiting.push(resolve));
    },
    files: oneFileEach((url) => onDisk.has(url)),
    media: {
      want(who, media) {
        if (who !== 'online' && who !== 'late') throw new Error(`"${who}" is no user of online slots`);
        wishes[who] = media.map(({ url }) => url);
        if (who === 'online') wanted.push([...wishes.online, ...wishes.late]);
      },
      onChange: (listener) => {
        told = listener;
      },
    },
    capHit: (window, ads) => void capHits.push([window, ads]),
    answered: (ads) => void answered.push(ads.map(({ id }) => id)),
    clock,
    schedule: time.schedule,
    pause: async () => {},
    log: {
      ...silentLog,
      info: (message, facts) => void logged.push({ message, ...facts }),
      warn: (message) => void warnings.push(message),
    },
    changed: () => {
      changes += 1;
    },
  });
  return {
    time,
    slots,
    plays,
    logged,
    warnings,
    capHits,
    answered,
    candidate: () => slots.candidate(clock.now())?.id ?? null,
    take() {
      const ad = slots.candidate(clock.now());
      if (ad) slots.taken(ad);
    },
    /** The ads of the last answer that do not play, with the reasons that are shown. */
    dropped: () =>
      slots
        .lastAnswer()
        ?.ads.filter(({ explanation }) => !explanation.eligible)
        .map(({ ad, explanation }) => [ad.id, ...explanation.reasons]),
    /** Whether slots are filled online, as the log says. */
    isOnline: () =>
      logged.findLast(({ message }) => message.startsWith('slots are filled'))?.message ===
      'slots are filled online',
    loggedAds: () => logged.map((line) => (line as { ad?: string }).ad),
    asked,
    askedAt,
    wanted,
    wishes,
    changes: () => changes,
    /** Reports each second that nothing is on the screen, from now on for this long. */
    async idles(seconds: number) {
      slots.idle();
      for (let second = 0; second < seconds; second += 1) {
        await time.advance(1_000);
        slots.idle();
      }
    },
    began: (lengthMs = 10_000) => slots.slotBegan(clock.now() + lengthMs),
    async answer(answer: OnlineAnswer) {
      waiting.shift()?.(answer);
      await time.settle();
    },
    /** Answers the latest request first. */
    async answerLast(answer: OnlineAnswer) {
      waiting.pop()?.(answer);
      await time.settle();
    },
    arrive(url: string) {
      onDisk.add(url);
      told(url, true);
    },
    setClock(by: number) {
      set += by;
    },
    fail: (url: string) => told(url, false),
  };
}

const answerOf = (...ads: readonly Ad[]): OnlineAnswer => ({ kind: 'ads', ads, rejected: [] });
const ads = (id: string): OnlineAnswer => answerOf(anAd({}, `u:${id}`, id));

describe('online delivery', () => {
  it('requests the next slot during the current one, with a deadline that leaves time to load', async () => {
    const kiosk = world();
    kiosk.began(10_000);
    expect(kiosk.asked).toEqual([3000]);
    kiosk.began(2500);
    expect(kiosk.asked).toEqual([3000, 1000]);
  });

  it('sends no request if the slot is too short for an answer', () => {
    const kiosk = world();
    kiosk.began(1600);
    expect(kiosk.asked).toEqual([]);
  });

  it('offers the ad only once its media are on disk, and only for one slot', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect(kiosk.candidate()).toBeNull();
    expect(kiosk.wanted).toEqual([['u:a']]);
    kiosk.arrive('u:a');
    expect(kiosk.changes()).toBe(1);
    expect(kiosk.candidate()).toBe('a');
    kiosk.take();
    expect(kiosk.candidate()).toBeNull();
  });

  it('goes on fetching a file that takes longer than its slot, behind that of the next one, for ten minutes', async () => {
    const expired = { ...anAd({}, 'u:old', 'old'), metadata: { ...anAd({}).metadata, expiresAt: 1 } };
    const failed = { kind: 'failed', code: 'timeout' } as const;
    for (const empty of [{ kind: 'no-fill' } as const, failed, answerOf(), answerOf(expired)]) {
      const kiosk = world();
      kiosk.began();
      await kiosk.answer(ads('a'));
      kiosk.began();
      expect(kiosk.wanted).toEqual([['u:a']]);
      await kiosk.answer(empty);
      expect(kiosk.wishes).toEqual({ online: [], late: ['u:a'] });
      for (const id of ['b', 'c', 'b']) {
        kiosk.began();
        await kiosk.answer(ads(id));
      }
      expect(kiosk.wishes).toEqual({ online: ['u:b'], late: ['u:c', 'u:b', 'u:a'] });
      kiosk.arrive('u:c');
      await kiosk.time.advance(600_000);
      kiosk.began();
      await kiosk.answer(empty);
      expect(kiosk.wanted.at(-1)).toEqual(['u:b']);
    }
  });

  it('goes on fetching the file of the ad that another of its answer was played for', async () => {
    const kiosk = world();
    kiosk.arrive('u:b');
    kiosk.began();
    await kiosk.answer(answerOf(anAd({}, 'u:a', 'a'), anAd({}, 'u:b', 'b')));
    kiosk.take();
    kiosk.began();
    await kiosk.answer(ads('c'));
    expect(kiosk.wishes).toEqual({ online: ['u:c'], late: ['u:a'] });
  });

  it('goes on fetching the files of ten ads at most', async () => {
    const kiosk = world();
    const ids = Array.from({ length: 12 }, (_, at) => `${at}`);
    for (const id of [...ids, 'last']) {
      kiosk.began();
      await kiosk.answer(ads(id));
    }
    expect(kiosk.wanted.at(-1)).toEqual([
      'u:last',
      ...ids
        .toReversed()
        .slice(0, 10)
        .map((id) => `u:${id}`),
    ]);
  });

  it('wants no files any more once slots are filled from the stored playlist', async () => {
    const kiosk = world('auto');
    while (!kiosk.isOnline()) {
      kiosk.began();
      await kiosk.answer(ads('probe'));
      await kiosk.time.advance(60_000);
    }
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect(kiosk.wanted.at(-1)).toEqual(['u:a']);
    while (kiosk.isOnline()) {
      expect(kiosk.wanted.at(-1)).toEqual(['u:a']);
      kiosk.began();
      await kiosk.answer({ kind: 'failed', code: 'timeout' });
    }
    expect(kiosk.wanted.at(-1)).toEqual([]);
  });

  it('reports the ads of the last answer, and none of a late or empty one', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(ads('a'));
    kiosk.began();
    await kiosk.answer({ kind: 'no-fill' });
    kiosk.began();
    kiosk.began();
    await kiosk.answer(ads('late'));
    await kiosk.answer(ads('b'));
    expect(kiosk.answered).toEqual([['a'], ['b']]);
  });

  it('drops the request for an earlier slot', async () => {
    const kiosk = world();
    kiosk.arrive('u:late');
    kiosk.began();
    kiosk.began();
    await kiosk.answer(ads('late'));
    expect(kiosk.candidate()).toBeNull();
  });

  it('drops the request for an earlier slot, even if the slot after it is too short for another', async () => {
    const kiosk = world();
    kiosk.arrive('u:late');
    kiosk.began();
    kiosk.began(1600);
    await kiosk.answer(ads('late'));
    expect(kiosk.candidate()).toBeNull();
  });

  it('asks for another choice when an ad can be shown at once', async () => {
    const kiosk = world();
    kiosk.arrive('u:a');
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect(kiosk.changes()).toBe(1);
  });

  it('offers no ad more than 30 s after its slot was due, because the matched shopper may be gone', async () => {
    const kiosk = world();
    kiosk.arrive('u:a');
    kiosk.began(10_000);
    await kiosk.answer(ads('a'));
    await kiosk.time.advance(40_000);
    expect(kiosk.candidate()).toBe('a');
    await kiosk.time.advance(1);
    expect(kiosk.candidate()).toBeNull();
  });

  it.each([3_600_000, -3_600_000])('offers an ad as long where the clock is set by %i ms', async (by) => {
    const kiosk = world();
    kiosk.arrive('u:a');
    kiosk.began(10_000);
    kiosk.setClock(by);
    await kiosk.answer(ads('a'));
    await kiosk.time.advance(40_000);
    expect(kiosk.candidate()).toBe('a');
    await kiosk.time.advance(1);
    expect(kiosk.candidate()).toBeNull();
  });

  it('looks for the next file of an ad when one failed', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(ads('a'));
    kiosk.fail('u:other');
    expect(kiosk.wanted).toHaveLength(1);
    kiosk.fail('u:a');
    expect(kiosk.wanted).toEqual([['u:a'], ['u:a']]);
    expect(kiosk.changes()).toBe(0);
  });

  it.each<[string, OnlineAnswer]>([
    ['no fill', { kind: 'no-fill' }],
    ['a failure', { kind: 'failed', code: 'timeout' }],
    ['ads that cannot be shown here', answerOf({ ...anAd(), mediaFiles: [] })],
  ])('leaves the slot to the playlist after %s', async (_case, answer) => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(answer);
    expect(kiosk.candidate()).toBeNull();
    expect(kiosk.changes()).toBe(0);
  });

  it.each(['online', 'auto'] as const)('%s waits as long as the service asks to', async (delivery) => {
    const kiosk = world(delivery);
    kiosk.began();
    await kiosk.answer({ kind: 'failed', code: 'rate-limited', retryAfterMs: 60_000 });
    await kiosk.time.advance(59_999);
    kiosk.began();
    kiosk.slots.idle();
    expect(kiosk.asked).toHaveLength(1);
    await kiosk.time.advance(1);
    kiosk.began();
    expect(kiosk.asked).toHaveLength(2);
  });

  it('waits as long as the service asks to, whatever becomes of an earlier request', async () => {
    const kiosk = world();
    kiosk.began();
    kiosk.began();
    await kiosk.answerLast({ kind: 'failed', code: 'rate-limited', retryAfterMs: 60_000 });
    await kiosk.answer({ kind: 'failed', code: 'timeout' });
    kiosk.began();
    expect(kiosk.asked).toHaveLength(2);
  });

  it('repeats the request from time to time while nothing is on the screen', async () => {
    const kiosk = world();
    await kiosk.idles(0);
    expect(kiosk.asked).toHaveLength(1);
    await kiosk.idles(5);
    expect(kiosk.asked).toHaveLength(2);
  });
});

describe('a long slot', () => {
  it('is followed by a request 15 s before its end, and one of 15 s or less begins with it', async () => {
    const kiosk = world();
    kiosk.began(60_000);
    await kiosk.time.advance(44_999);
    expect(kiosk.asked).toEqual([]);
    await kiosk.time.advance(1);
    expect(kiosk.asked).toEqual([3000]);
    await kiosk.time.advance(15_000);
    kiosk.began(15_000);
    kiosk.began(14_000);
    expect(kiosk.askedAt).toEqual([45_000, 60_000, 60_000]);
  });

  it('that is over earlier is followed by the request of the slot after it', async () => {
    const kiosk = world();
    kiosk.began(60_000);
    await kiosk.time.advance(40_000);
    kiosk.began(60_000);
    await kiosk.time.advance(60_000);
    expect(kiosk.askedAt).toEqual([85_000]);
  });

  it('that is over earlier is followed by no request if nothing comes after it (rule 14)', async () => {
    const kiosk = world();
    kiosk.began(60_000);
    await kiosk.time.advance(10_000);
    kiosk.slots.slotEnded();
    await kiosk.time.advance(600_000);
    expect(kiosk.asked).toEqual([]);
  });

  it('is followed by no request if the machine slept until too shortly before its end', async () => {
    const kiosk = world();
    kiosk.began(60_000);
    kiosk.time.drift(58_500);
    await kiosk.time.advance(0);
    expect(kiosk.asked).toEqual([]);
  });

  it('waits with its request for a Retry-After only if that is not over by then', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer({ kind: 'failed', code: 'rate-limited', retryAfterMs: 70_000 });
    for (const _slot of [1, 2]) {
      kiosk.began(60_000);
      await kiosk.time.advance(60_000);
    }
    expect(kiosk.askedAt).toEqual([0, 105_000]);
  });

  it.each([3_600_000, -3_600_000])(
    'is followed by a request in time though the clock is set by %i ms',
    async (by) => {
      const kiosk = world();
      kiosk.arrive('u:a');
      kiosk.began(60_000);
      await kiosk.time.advance(20_000);
      kiosk.setClock(by);
      await kiosk.time.advance(25_000);
      expect(kiosk.asked).toEqual([3000]);
      await kiosk.answer(ads('a'));
      await kiosk.time.advance(45_000);
      expect(kiosk.candidate()).toBe('a');
      await kiosk.time.advance(1);
      expect(kiosk.candidate()).toBeNull();
    },
  );
});

describe('while nothing is on the screen', () => {
  it('one request is sent at a time, however often that is reported', async () => {
    const kiosk = world();
    kiosk.slots.idle();
    await kiosk.time.advance(400);
    kiosk.slots.idle();
    expect(kiosk.asked).toHaveLength(1);
    kiosk.arrive('u:a');
    await kiosk.answer(ads('a'));
    expect(kiosk.candidate()).toBe('a');
  });

  it('a file that takes longer than the pause between requests is fetched all the same', async () => {
    const kiosk = world();
    await kiosk.idles(0);
    await kiosk.answer(ads('a'));
    await kiosk.idles(5);
    await kiosk.answer(ads('b'));
    expect(kiosk.wishes).toEqual({ online: ['u:b'], late: ['u:a'] });
  });

  it('an outage of an hour leaves room for other lines in the log', async () => {
    const kiosk = world();
    for (let asked = 0; asked < 720; asked += 1) {
      await kiosk.idles(5);
      await kiosk.answer({ kind: 'failed', code: 'network' });
    }
    expect(kiosk.asked.length).toBeGreaterThan(700);
    expect(new Set(kiosk.warnings)).toEqual(new Set(['no online ad for this slot']));
    expect(kiosk.warnings.length).toBeLessThan(50);
  });

  it('no request is sent once no ad may play, until it is reported again', async () => {
    const kiosk = world();
    await kiosk.idles(5);
    expect(kiosk.asked).toHaveLength(2);
    await kiosk.time.advance(60_000);
    expect(kiosk.asked).toHaveLength(2);
    await kiosk.idles(5);
    expect(kiosk.asked).toHaveLength(4);
  });

  it('requests begin again after the next slot', async () => {
    const kiosk = world();
    kiosk.slots.idle();
    kiosk.began(1600);
    kiosk.slots.idle();
    expect(kiosk.asked).toHaveLength(2);
  });
});

describe('the ads of an online answer', () => {
  const capped = { flightId: 'f', frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }] };
  const forTwo = (...list: Parameters<typeof anAd>[]): OnlineAnswer =>
    answerOf(...list.map((args) => anAd(...args)));

  async function answered(kiosk: ReturnType<typeof world>, answer: OnlineAnswer) {
    kiosk.arrive('u:a');
    kiosk.arrive('u:b');
    kiosk.began();
    await kiosk.answer(answer);
    return kiosk.candidate();
  }

  it('the first that may play is taken, not the first (rule 5)', async () => {
    const kiosk = world();
    kiosk.plays.push({ flightId: 'f', at: kiosk.time.clock.now() });
    expect(await answered(kiosk, forTwo([capped, 'u:a', 'a'], [{}, 'u:b', 'b']))).toBe('b');
  });

  it('an ad that only a cap excludes is counted once per answer', async () => {
    const kiosk = world();
    kiosk.plays.push({ flightId: 'f', at: kiosk.time.clock.now() });
    const expired = { ...capped, expiresAt: kiosk.time.clock.now() - 1 };
    expect(await answered(kiosk, forTwo([capped, 'u:a', 'a'], [expired, 'u:b', 'b']))).toBeNull();
    kiosk.candidate();
    expect(kiosk.capHits).toEqual([['FREQUENCY_CAP_WINDOW_DAY', 1]]);
    await answered(kiosk, forTwo([{}, 'u:a', 'a']));
    expect(kiosk.capHits).toHaveLength(1);
  });

  it('an expired ad is skipped, even if it expires while it waits', async () => {
    const kiosk = world();
    const soon = kiosk.time.clock.now() + 2_000;
    expect(
      await answered(
        kiosk,
        forTwo(
          [{ expiresAt: soon - 5_000 }, 'u:a', 'late'],
          [{ expiresAt: soon }, 'u:a', 'a'],
          [{}, 'u:b', 'b'],
        ),
      ),
    ).toBe('a');
    await kiosk.time.advance(2_001);
    expect(kiosk.candidate()).toBe('b');
  });

  it('an ad without its media is skipped until they arrive', async () => {
    const kiosk = world();
    kiosk.arrive('u:b');
    kiosk.began();
    await kiosk.answer(forTwo([{}, 'u:a', 'a'], [{}, 'u:b', 'b']));
    expect(kiosk.candidate()).toBe('b');
    kiosk.arrive('u:a');
    expect(kiosk.candidate()).toBe('a');
  });

  const forRain = {
    audience: { groups: [{ conditions: [{ kind: 'weather' as const, types: ['WEATHER_TYPE_RAINY'] }] }] },
  };

  it('their audience was matched by the service', async () => {
    expect(await answered(world(), forTwo([forRain, 'u:a', 'a']))).toBe('a');
  });

  it('their audience is judged again with "recheck", and the reason for a dropped ad is logged', async () => {
    const kiosk = world('online', 'judged');
    expect(await answered(kiosk, forTwo([forRain, 'u:a', 'a'], [{}, 'u:b', 'b']))).toBe('b');
    expect(kiosk.logged).toEqual([
      expect.objectContaining({ message: 'an online ad may not play', ad: 'a', reasons: ['audience'] }),
    ]);
    expect(kiosk.slots.lastAnswer()).toMatchObject({
      more: 0,
      ads: [
        { ad: { id: 'a' }, explanation: { eligible: false, reasons: ['audience'] } },
        { ad: { id: 'b' }, explanation: { eligible: true } },
      ],
    });
  });

  it('ten that may play are enough of a long answer', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(
      forTwo(...Array.from({ length: 500 }, (): [object, string, string] => [{}, 'u:a', 'a'])),
    );
    expect(kiosk.slots.lastAnswer()).toMatchObject({ more: 490 });
    expect(kiosk.wanted).toEqual([Array.from({ length: 10 }, () => 'u:a')]);
  });

  it('a playable ad is found behind any number of others, of which ten are logged one by one', async () => {
    const kiosk = world();
    const expired = { expiresAt: kiosk.time.clock.now() - 1 };
    const list = Array.from({ length: 2_000 }, (_, i): [object, string, string] => [expired, 'u:a', `${i}`]);
    expect(await answered(kiosk, forTwo(...list, [{}, 'u:b', 'last']))).toBe('last');
    expect(kiosk.loggedAds()).toEqual([...Array.from({ length: 10 }, (_, i) => `${i}`), undefined]);
    expect(kiosk.logged.at(-1)).toEqual({ message: 'more online ads may not play', ads: 1_990 });
    const answer = kiosk.slots.lastAnswer();
    expect([answer?.ads.length, answer?.ads.at(-1)?.ad.id, answer?.more]).toEqual([11, 'last', 1_990]);
  });

  it('dropped ads leave room for other lines in the log, when each slot drops some', async () => {
    const kiosk = world('online', 'judged');
    for (let slot = 0; slot < 360; slot += 1) {
      kiosk.began(10_000);
      await kiosk.answer(forTwo([forRain, 'u:a', 'a'], [forRain, 'u:b', 'b'], [{}, 'u:c', 'c']));
      await kiosk.time.advance(10_000);
    }
    expect(kiosk.logged.length).toBeGreaterThanOrEqual(100);
    expect(kiosk.logged.length).toBeLessThanOrEqual(200);
    expect(kiosk.dropped()).toContainEqual(['b', 'audience']);
  });

  it('unreadable ads are logged, even without others', async () => {
    const kiosk = world();
    const rejected: RejectedAd = {
      id: 'bad',
      number: 1,
      code: 'metadata-missing',
      detail: 'no metadata extension',
      errorUrls: [],
      errorCode: 101,
    };
    expect(await answered(kiosk, { kind: 'ads', ads: [], rejected: [rejected] })).toBeNull();
    expect(kiosk.logged).toEqual([
      {
        message: 'an online ad cannot be read',
        ad: 'bad',
        code: 'metadata-missing',
        detail: 'no metadata extension',
      },
    ]);
    expect(kiosk.slots.lastAnswer()).toMatchObject({ ads: [], rejected: [{ id: 'bad' }], more: 0 });
  });

  it('an ad that expires or reaches a cap while it waits is logged once, with its cap', async () => {
    const kiosk = world();
    const soon = kiosk.time.clock.now() + 2_000;
    await answered(kiosk, forTwo([{ expiresAt: soon }, 'u:a', 'a'], [capped, 'u:b', 'b']));
    await kiosk.time.advance(2_001);
    kiosk.plays.push({ flightId: 'f', at: kiosk.time.clock.now() });
    for (const _twice of [1, 2]) expect(kiosk.candidate()).toBeNull();
    expect(kiosk.dropped()).toEqual([
      ['a', 'expired'],
      ['b', 'capped'],
    ]);
    expect(kiosk.loggedAds()).toEqual(['a', 'b']);
    expect(kiosk.capHits).toEqual([['FREQUENCY_CAP_WINDOW_DAY', 1]]);
  });

  it('an ad whose media are late is logged when its slot is filled or starts', async () => {
    const kiosk = world();
    kiosk.arrive('u:b');
    kiosk.began();
    await kiosk.answer(forTwo([{}, 'u:a', 'a'], [{}, 'u:b', 'b'], [{}, 'u:c', 'not needed']));
    kiosk.take();
    expect([kiosk.dropped(), kiosk.loggedAds()]).toEqual([[['a', 'no-media']], ['a']]);
    kiosk.began();
    await kiosk.answer(forTwo([{}, 'u:a', 'a'], [{}, 'u:b', 'passed over']));
    expect(kiosk.dropped()).toEqual([]);
    kiosk.began();
    expect(kiosk.dropped()).toEqual([['a', 'no-media'], ['passed over']]);
    expect(kiosk.loggedAds()).toEqual(['a', 'a', 'passed over']);
  });

  it('an answer that comes after its slot started is logged, and does not hide a later one', async () => {
    const kiosk = world();
    kiosk.began();
    kiosk.began();
    await kiosk.answer(forTwo([{}, 'u:a', 'late']));
    expect(kiosk.logged).toEqual([
      { message: 'an online answer came too late for its slot', ads: 1, rejected: 0 },
    ]);
    expect(kiosk.dropped()).toEqual([['late']]);
    kiosk.began();
    await kiosk.answer(forTwo([{}, 'u:a', 'late again']));
    await kiosk.answer(forTwo([{}, 'u:a', 'in time']));
    expect(kiosk.slots.lastAnswer()?.ads.map(({ ad }) => ad.id)).toEqual(['in time']);
    const slow = world();
    slow.began();
    slow.began();
    await slow.answerLast(forTwo([{}, 'u:a', 'in time']));
    await slow.answer(forTwo([{}, 'u:a', 'late']));
    expect(slow.slots.lastAnswer()?.ads.map(({ ad }) => ad.id)).toEqual(['in time']);
  });
});

describe('automatic delivery', () => {
  async function probe(kiosk: ReturnType<typeof world>, answer: OnlineAnswer) {
    const before = kiosk.asked.length;
    while (kiosk.asked.length === before) {
      await kiosk.time.advance(1000);
      kiosk.began();
    }
    await kiosk.answer(answer);
  }

  it('tests the line 10 s after an answer, no fill included, and 30 s after a failure', async () => {
    const kiosk = world('auto');
    kiosk.began();
    const failed = { kind: 'failed', code: 'timeout' } as const;
    const noFill = { kind: 'no-fill' } as const;
    for (const [answer, pause] of [
      [failed, 30_000],
      [noFill, 10_000],
      [noFill, 10_000],
    ] as const) {
      const before = kiosk.asked.length;
      await kiosk.answer(answer);
      await kiosk.time.advance(pause - 1);
      kiosk.began();
      expect(kiosk.asked).toHaveLength(before);
      await kiosk.time.advance(1);
      kiosk.began();
      expect(kiosk.asked).toHaveLength(before + 1);
    }
    expect(kiosk.isOnline()).toBe(false);
    await kiosk.answer(noFill);
    expect(kiosk.isOnline()).toBe(true);
  });

  it('plays what a probe brought while nothing is on the screen', async () => {
    const kiosk = world('auto');
    kiosk.arrive('u:a');
    await kiosk.idles(0);
    await kiosk.answer(ads('a'));
    expect([kiosk.isOnline(), kiosk.candidate(), kiosk.changes()]).toEqual([false, 'a', 1]);
  });

  it('goes on fetching the files of such ads until a probe finds an ad on the screen', async () => {
    const kiosk = world('auto');
    await kiosk.idles(0);
    await kiosk.answer(ads('a'));
    await kiosk.idles(10);
    await kiosk.answer(ads('b'));
    expect(kiosk.wishes).toEqual({ online: ['u:b'], late: ['u:a'] });
    await kiosk.time.advance(10_000);
    kiosk.began();
    await kiosk.answer({ kind: 'failed', code: 'timeout' });
    expect(kiosk.wishes).toEqual({ online: [], late: [] });
  });

  it('starts with the playlist, goes online after good probes, and back after failures in a row', async () => {
    const kiosk = world('auto');
    kiosk.arrive('u:a');
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect([kiosk.isOnline(), kiosk.candidate()]).toEqual([false, null]);
    await probe(kiosk, ads('a'));
    await probe(kiosk, ads('a'));
    expect(kiosk.isOnline()).toBe(true);
    await probe(kiosk, ads('a'));
    expect(kiosk.candidate()).toBe('a');
    for (let failures = 0; failures < 3; failures += 1) {
      expect(kiosk.isOnline()).toBe(true);
      await probe(kiosk, { kind: 'failed', code: 'timeout' });
    }
    expect(kiosk.isOnline()).toBe(false);
  });
});
