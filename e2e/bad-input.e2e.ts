import type { Fault } from '../main/demo-service/faults';
import { watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, speedUpTimers } from './kiosk';
import { launch, service, shareWorld, test } from './kiosk-test';
import {
  BLUE,
  BRIEF,
  briefAd,
  errorCodes,
  expectMorePlays,
  expectOnScreen,
  GREEN,
  imageAd,
  mediaProblems,
  RED,
  serveColours,
  serveTwoCreatives,
} from './two-creatives';

// The service returns errors while a stored playlist plays. Each error has a message in status and log, the
// screen goes on, no stored data is lost, and the kiosk recovers.

/** Ids of the two stored ads. */
const STORED = ['red', 'blue'];

let running: Kiosk;

/** After the service has recovered, the kiosk recovers by itself. */
async function expectRecovery(): Promise<void> {
  await expect
    .poll(
      async () => {
        const { state, service: operations } = await running.status();
        const failing = Object.entries(operations).flatMap(([name, { failing }]) => (failing ? [name] : []));
        return { state, failing };
      },
      { intervals: [250] },
    )
    .toEqual({ state: 'playing', failing: [] });
}

/** Waits for the media problem of a file in the status. */
const mediaProblem = (file: string) =>
  expect
    .poll(async () => (await running.status()).media.problems.filter((problem) => problem.includes(file)))
    .toHaveLength(1);

/** What the service sends instead of an ad's creative, and the problem in the status. */
const MEDIA: ReadonlyArray<readonly [what: string, id: string, fault: Fault, problem: RegExp]> = [
  ["a captive portal's page", 'portal', { kind: 'html' }, /unreachable: expected the file, got a page/],
  ['a file that breaks off', 'broken', { kind: 'truncate', afterBytes: 900 }, /short: /],
  ['bytes without meaning', 'noise', { kind: 'garbage' }, /not-media: neither an image nor a video/],
  ['a 500', 'refused', { kind: 'status', status: 500 }, /status: expected status 200, got 500/],
  ['a 404', 'missing', { kind: 'status', status: 404 }, /status: expected status 200, got 404/],
];

shareWorld(async () => {
  serveTwoCreatives(service, BRIEF);
  running = await launch();
  await expect
    .poll(async () => new Set((await running.plays()).map(({ adId }) => adId)))
    .toEqual(new Set(STORED));
  // The kiosk asks every second, and less often while requests fail; its timers run four times as fast.
  await speedUpTimers(running, 4);
});

test.beforeEach('no error is reported while everything works', async () => {
  service.setFaults({});
  serveTwoCreatives(service, BRIEF);
  service.clearRequests();
  await expect
    .poll(() => service.requests())
    .toContainEqual(expect.objectContaining({ group: 'ads', status: 304 }));
  await expect.poll(async () => (await running.playlists())[0]?.ads.map(({ id }) => id)).toEqual(STORED);
  await expectRecovery();
});

test('no fill is not an error: the stored playlist plays on', async () => {
  service.setAds([]);
  await expect.poll(async () => (await running.status()).noFillAt).not.toBeNull();
  const stored = await running.playlists();
  expect(stored[0]?.ads.map(({ id }) => id)).toEqual(STORED);
  await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)]);
  expect(await running.playlists()).toEqual(stored);
  expect((await running.status()).state).toBe('playing');
});

test('a wrong answer instead of a creative is never shown and delays no other ad, and the creative plays later', async () => {
  const from = (await running.plays()).length;
  service.setFaults({ media: MEDIA.map(([, id, fault]) => ({ ...fault, match: `${id}.png` })) });
  for (const [, id] of MEDIA) serveColours(service, { [id]: GREEN });
  service.setAds([briefAd('red'), ...MEDIA.map(([, id]) => briefAd(id)), briefAd('blue')]);
  for (const [what, id, , problem] of MEDIA) {
    await test.step(what, async () => {
      await mediaProblem(`${id}.png`);
      const { problems } = (await running.status()).media;
      expect(problems.find((words) => words.includes(`${id}.png`))).toMatch(problem);
      expect(running.log()).toMatch(new RegExp(`creative not stored .*${id}\\.png`));
    });
  }
  // Their ads never play, so only this tells the ad server why (rule 15).
  for (const id of ['refused', 'missing'])
    await expect
      .poll(() => service.beacons().flatMap(({ query }) => (query.ad === id ? query.code : [])))
      .toEqual(['401']);
  await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 4)]);
  // Slots follow each other: a slot that waited for a missing file would be a whole load deadline (10 s) late.
  const begun = (await running.plays()).slice(from).flatMap(({ shownAt }) => shownAt ?? []);
  for (const [index, at] of begun.slice(1).entries()) expect(at - (begun[index] ?? 0)).toBeLessThan(8_000);
  const shown = async () => {
    const plays = (await running.plays()).filter(({ shownAt }) => shownAt !== null);
    return MEDIA.map(([, id]) => id).filter((id) => plays.some(({ adId }) => adId === id));
  };
  expect(await shown()).toEqual([]);
  service.setFaults({});
  // Skips the pauses before the downloads are tried again.
  await advanceMonotonicClock(running, 60_000);
  await expectOnScreen(running, GREEN);
  await expect.poll(shown).toEqual(MEDIA.map(([, id]) => id));
});

// `service-client.test.ts` has answers that HTTP or their first bytes give away.
test('an answer that the reader of ads cannot read is reported, and the stored playlist plays on', async () => {
  const from = running.log().length;
  // Once the fault is cleared, the answer must be a new playlist, not a 304.
  service.setAds([briefAd('red'), briefAd('blue'), imageAd('red', 2)]);
  // Truncated XML whose length is right.
  service.setFaults({ ads: { kind: 'truncate', afterBytes: 700, wellFormed: true } });
  const told = async () => (await running.status()).service.ads;
  await expect.poll(told).toMatchObject({ failing: true, lastError: { code: 'malformed' } });
  const { message = '', advice } = (await told())?.lastError ?? {};
  expect(message).toMatch(/cannot be read/);
  expect(message).toContain(`127.0.0.1:${service.port}`);
  expect(advice).toMatch(/stored before stays in use/);
  await expect.poll(async () => (await running.status()).state).toBe('playing-from-store');
  const stored = (await running.playlists())[0]?.ads;
  expect(stored?.map(({ id }) => id)).toEqual(STORED);
  const logged = running.log().slice(from);
  expect(logged).toContain('"code":"malformed"');
  expect(logged).toContain(JSON.stringify(message).slice(1, -1));
  serveTwoCreatives(service, BRIEF);
  service.setFaults({});
  // The slots until the next try are filled from the store.
  const shown = [expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)];
  await Promise.all([...shown, expectRecovery()]);
  expect((await running.playlists())[0]?.ads).toEqual(stored);
});

// The last one: for a minute after it the status reports its beacons as a problem.
test('an ad’s beacons, wrappers and media reach public addresses only; the rest of the ad plays', async () => {
  // On this machine, and named by ads only: must never be reached.
  await using forbidden = await watchedServer();
  const inside = (path: string) => `http://localhost:${forbidden.port}/${path}`;
  const { failed = 0 } = (await running.status()).beacons;
  const from = (await running.plays()).length;
  const errors = [`${service.origin}/collect/error?ad=wrapped&code=[ERRORCODE]`];
  service.setAds([
    {
      ...briefAd('red'),
      impressions: [inside('impression'), `http://127.0.0.1:${forbidden.port}/impression`],
      tracking: [
        { event: 'start', url: `http://[::1]:${forbidden.port}/start` },
        { event: 'complete', url: inside('complete') },
      ],
    },
    { id: 'wrapped', wrapper: inside('vast.xml'), metadata: {}, errors },
    { ...briefAd('elsewhere'), media: [{ url: inside('creative.png'), type: 'image/png' }] },
  ]);
  await expect.poll(async () => (await running.status()).beacons.failed).toBeGreaterThanOrEqual(failed + 4);
  await expectMorePlays(running, 1);
  const { playlist } = await running.status();
  expect(playlist?.rejected).toMatchObject([{ id: 'wrapped', code: 'wrapper-unresolved' }]);
  // The look-up of its host may take longer than the plays of the other ad.
  await mediaProblems(running).toContain('allowPrivateHosts');
  await expect.poll(() => new Set(errorCodes(service, 'wrapped'))).toEqual(new Set(['301']));
  expect((await running.plays()).slice(from).map(({ adId }) => adId)).not.toContain('elsewhere');
  expect(forbidden.connections()).toBe(0);
});
