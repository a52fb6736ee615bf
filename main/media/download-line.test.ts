import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createAttempts } from './attempts';
import { createBackgroundWork } from './cache-base';
import { createDownloadLine } from './download-line';
import type { StoredMedia } from './stored-media';
import { needsOf } from './want-list';

const MINUTE_MS = 60_000;
const clock = { now: () => 0, monotonic: () => 0 };

describe('the line of downloads', () => {
  it('checks the room once, and again for each download it starts, however many files have no room', () => {
    const urls = Array.from({ length: 3_000 }, (_none, index) => `https://media.example/${index}`);
    const needs = needsOf({
      online: [],
      native: [],
      upcoming: [],
      house: [],
      late: [],
      playlist: urls.map((url) => ({ url })),
    });
    const fits = new Set([urls[1_000], urls[2_000]]);
    const started: string[] = [];
    let looks = 0;
    const line = createDownloadLine({
      stored: { byUrl: new Map<string, StoredMedia>() },
      aside: { msFor: () => 0, strikeOf: () => undefined, urls: () => [] },
      problems: new Map(),
      attempts: createAttempts({ clock, random: () => 0 }),
      diskErrors: { pauseMs: () => 0 },
      room: {
        knownBytes: () => 1,
        look() {
          looks += 1;
          return ({ url }) => !fits.has(url);
        },
      },
      needs: () => needs,
      isBegun: () => false,
      isOpen: () => true,
      run: ({ need: { url } }) => {
        started.push(url);
        return new Promise(() => {});
      },
      onWake() {},
      clock,
      schedule: () => () => {},
      background: createBackgroundWork(silentLog),
    });
    line.advance();
    expect(started).toEqual([...fits]);
    expect(looks).toBe(3);
  });

  interface SlowFile {
    /** How long it needs a place; `Infinity`: its download never completes. */
    readonly minutes: number;
    readonly isContinued: boolean;
    /** Whether an older version is stored. */
    readonly isRefresh?: boolean;
    /** Whether its server answers with an error after `minutes`. */
    readonly fails?: 'status' | 'unreachable';
  }

  function world(files: Readonly<Record<string, SlowFile>>) {
    const time = handTurnedTime();
    const minutes = () => (time.clock.monotonic() - 1000) / MINUTE_MS;
    const begun = new Map<string, number>();
    const stored = new Map<string, StoredMedia>();
    const log: string[] = [];
    const endedAt = new Map<string, number>();
    const wanted = (urls: readonly string[]) =>
      needsOf({
        online: [],
        native: [],
        upcoming: [],
        house: [],
        late: [],
        playlist: urls.map((url) => ({ url })),
      });
    let needs = wanted(Object.keys(files));
    const attempts = createAttempts({ clock: time.clock, random: () => 0 });
    for (const [url, { isRefresh }] of Object.entries(files)) {
      if (!isRefresh) continue;
      stored.set(url, { url } as StoredMedia);
      attempts.answered(url, 0);
    }
    attempts.revalidate(stored.keys());
    const line = createDownloadLine({
      stored: { byUrl: stored },
      aside: { msFor: () => 0, strikeOf: () => undefined, urls: () => [] },
      problems: new Map(),
      attempts,
      diskErrors: { pauseMs: () => 0 },
      room: { knownBytes: () => 0, look: () => () => false },
      needs: () => needs,
      isBegun: (url) => begun.has(url),
      isOpen: () => true,
      run: (job) =>
        new Promise((done) => {
          const { url } = job.need;
          const startedAt = minutes();
          log.push(`${startedAt} ${url}`);
          const file = files[url] ?? { minutes: 1, isContinued: false };
          const leftMs = (file.minutes - (begun.get(url) ?? 0)) * MINUTE_MS;
          const cancel = Number.isFinite(leftMs)
            ? time.schedule(leftMs, () => {
                if (file.fails) attempts.failed(url, { code: file.fails });
                else {
                  endedAt.set(url, minutes());
                  stored.set(url, { url } as StoredMedia);
                }
                done();
              })
            : () => {};
          job.abort.signal.addEventListener('abort', () => {
            cancel();
            if (file.isContinued) begun.set(url, (begun.get(url) ?? 0) + minutes() - startedAt);
            done();
          });
        }),
      onWake() {},
      clock: time.clock,
      schedule: time.schedule,
      background: createBackgroundWork(silentLog),
    });
    line.advance();
    return {
      log,
      endedAt,
      passMinutes: (count: number) => time.advance(count * MINUTE_MS),
      /** Also wants this file from now on, first or last; its download takes a minute. */
      want(url: string, place: 'first' | 'last') {
        needs = wanted(place === 'first' ? [url, ...Object.keys(files)] : [...Object.keys(files), url]);
        line.advance();
      },
    };
  }
  const endless = { minutes: Number.POSITIVE_INFINITY, isContinued: true };

  it('gives the places of two endless downloads to others after ten minutes, then back', async () => {
    const { log, passMinutes } = world({
      slow: endless,
      slower: endless,
      a: { minutes: 1, isContinued: true },
      b: { minutes: 1, isContinued: true },
    });
    await passMinutes(60);
    expect(log).toEqual(['0 slow', '0 slower', '10 a', '10 b', '11 slow', '11 slower']);
  });

  it('does the same for newer versions of stored files', async () => {
    const refresh = { ...endless, isRefresh: true };
    const { log, passMinutes } = world({
      slow: refresh,
      slower: refresh,
      asked: { ...refresh, minutes: 1 },
      missing: { minutes: 12, isContinued: true },
    });
    await passMinutes(60);
    expect(log).toEqual(['0 missing', '0 slow', '10 slower', '10 asked', '11 missing', '13 slow']);
  });

  it('does not interrupt a download while no other waits', async () => {
    const { log, endedAt, passMinutes } = world({ slow: endless, long: { minutes: 90, isContinued: false } });
    await passMinutes(100);
    expect(log).toEqual(['0 slow', '0 long']);
    expect(endedAt.get('long')).toBe(90);
  });

  it('completes a download that resumes, turn by turn', async () => {
    const { endedAt, passMinutes } = world({
      slow: endless,
      slower: endless,
      long: { minutes: 35, isContinued: true },
    });
    await passMinutes(120);
    expect(endedAt.get('long')).toBeLessThan(120);
  });

  it('completes a download that starts over each time, because its turns grow', async () => {
    const { endedAt, passMinutes } = world({
      slow: endless,
      slower: endless,
      long: { minutes: 35, isContinued: false },
    });
    await passMinutes(300);
    expect(endedAt.get('long')).toBeLessThan(300);
  });

  const dead = (fails: 'status' | 'unreachable', minutes: number) =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_none, index) => [`dead ${index}`, { minutes, isContinued: false, fails }]),
    );

  describe.each([
    ['have an error', dead('status', 1)],
    ['are silent', dead('unreachable', 0.5)],
  ])('while many servers %s', (_what, others) => {
    it('completes a download that starts over each time, although many others fail again and again', async () => {
      const { endedAt, passMinutes } = world({
        slow: endless,
        long: { minutes: 35, isContinued: false },
        ...others,
      });
      await passMinutes(1_000);
      expect(endedAt.get('long')).toBeLessThan(1_000);
    });

    it('starts a new file soon, although those before it failed', async () => {
      const never = { ...endless, isContinued: false };
      const { log, passMinutes, want } = world({ slow: never, slower: never, ...others });
      await passMinutes(1_000);
      want('new', 'last');
      // Ten minutes for the file that is being loaded, and each of the others may be tried once more before it.
      await passMinutes(10 + 12);
      expect(log.some((line) => line.endsWith(' new'))).toBe(true);
    });
  });

  it('completes every download that can end, however many never end', async () => {
    const file = fc.record({ minutes: fc.integer({ min: 1, max: 9 }), isContinued: fc.boolean() });
    const hanging = fc.record({ minutes: fc.constant(Number.POSITIVE_INFINITY), isContinued: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(file, hanging), { minLength: 1, maxLength: 12 }), async (files) => {
        const named = Object.fromEntries(files.map((one, index) => [`${index}`, one]));
        const { endedAt, passMinutes } = world(named);
        const ending = files.filter(({ minutes }) => Number.isFinite(minutes));
        const longest = ending.reduce((sum, { minutes }) => sum + minutes, 10 * files.length);
        await passMinutes(longest);
        expect(endedAt.size).toBe(ending.length);
      }),
      { numRuns: 60 },
    );
  });

  it('starts a new file within ten minutes, however long the turns of others have grown', async () => {
    // By then, each of the others has had a turn.
    const minutes = fc.integer({ min: 30, max: 1_000 });
    const place = fc.constantFrom<'first' | 'last'>('first', 'last');
    const hanging = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(hanging, minutes, place, async (continued, at, where) => {
        const { log, passMinutes, want } = world(
          Object.fromEntries(
            continued.map((isContinued, index) => [`${index}`, { ...endless, isContinued }]),
          ),
        );
        await passMinutes(at);
        want('new', where);
        await passMinutes(10);
        const started = log.find((line) => line.endsWith(' new'));
        expect(Number.parseFloat(started ?? 'Infinity') - at).toBeLessThanOrEqual(10);
      }),
      { numRuns: 60, examples: [[[false, false, false, false], 320, 'last']] },
    );
  });
});
