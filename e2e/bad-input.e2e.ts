import type { Fault } from '../main/demo-service/faults';
import { watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { advanceMonotonicClock, fastTimersFromStart, type Kiosk, speedUpTimers } from './kiosk';
import { launch, service, shareWorld, test } from './kiosk-test';
import {
  BLUE,
  BRIEF,
  briefAd,
  errorCodes,
  expectMorePlays,
  expectOnScreen,
  expectPlaying,
  GREEN,
  imageAd,
  kioskSettings,
  mediaProblems,
  RED,
  serveColours,
  serveTwoCreatives,
} from './two-creatives';

// The service returns errors while a stored playlist plays. Each error has a message in status and log, the
// screen goes on, no stored data is lost, and the kiosk recovers.

/** Ids of the two stored ads. */
const STORED = ['red', 'blue'];

/** Starts a kiosk and waits until its whole stored playlist has been on the screen. */
async function playing(...how: Parameters<typeof launch>): Promise<Kiosk> {
  const running = await launch(...how);
  await expect
    .poll(async () => new Set((await running.plays()).map(({ adId }) => adId)), { intervals: [200] })
    .toEqual(new Set(STORED));
  return running;
}

type Operation = 'token' | 'inventory' | 'ads' | 'media';

/** The last error of an operation, once it has this code and its message matches `words`. */
async function errorOf(running: Kiosk, operation: Operation, code: string, words = /./) {
  const told = async () => (await running.status()).service[operation];
  await expect
    .poll(told, { message: `the status of ${operation}`, intervals: [150] })
    .toMatchObject({ failing: true, lastError: { code, message: expect.stringMatching(words) } });
  return (await told()).lastError as { readonly message: string; readonly advice: string };
}

/** The stored playlist does not change, the screen shows all of it, and plays are recorded. */
async function expectToGoOnFromStore(running: Kiosk, state = 'playing-from-store'): Promise<void> {
  const stored = await running.playlists();
  expect(stored[0]?.ads.map(({ id }) => id)).toEqual(STORED);
  await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)]);
  expect(await running.playlists()).toEqual(stored);
  expect((await running.status()).state).toBe(state);
}

/** After the service has recovered, the kiosk recovers by itself. */
async function expectRecovery(running: Kiosk): Promise<void> {
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
const mediaProblem = (running: Kiosk, file: string) =>
  expect
    .poll(async () => (await running.status()).media.problems.filter((problem) => problem.includes(file)))
    .toHaveLength(1);

/** What the service sends instead of an ad's creative, and the problem in the status. */
const MEDIA: ReadonlyArray<readonly [what: string, id: string, fault: Fault, problem: RegExp]> = [
  ["a captive portal's page", 'portal', { kind: 'html' }, /not-media: neither an image nor a video/],
  ['a file that breaks off', 'broken', { kind: 'truncate', afterBytes: 900 }, /short: /],
  ['bytes without meaning', 'noise', { kind: 'garbage' }, /not-media: neither an image nor a video/],
  ['a 500', 'refused', { kind: 'status', status: 500 }, /status: expected status 200, got 500/],
  ['a 404', 'missing', { kind: 'status', status: 404 }, /status: expected status 200, got 404/],
];

test.describe('on a kiosk of its own', () => {
  test.beforeEach(() => serveTwoCreatives(service, BRIEF));

  test('a wrong secret, an unknown host name and refused connections have their codes; once corrected, everything stored still plays', async () => {
    // Four starts.
    test.slow();
    expect(await (await playing()).terminate()).toBe(0);
    const right = kioskSettings(service);
    const withService = (changed: object) => ({ ...right, service: { ...right.service, ...changed } });
    await test.step('a wrong secret', async () => {
      const running = await launch(withService({ clientSecret: 'mistyped-s3cret' }));
      const error = await errorOf(running, 'token', 'wrong-secret');
      expect(error.message).toMatch(/does not accept the client ID and secret \(401\)/);
      expect(error.advice).toMatch(/service\.clientId and the client secret/);
      await errorOf(running, 'ads', 'wrong-secret');
      await expectToGoOnFromStore(running);
      await expect.poll(() => running.log()).toContain('"code":"wrong-secret"');
      await expect.poll(() => running.log()).toContain(error.message);
      expect(running.log()).not.toContain('mistyped-s3cret');
      expect(await running.terminate()).toBe(0);
    });
    await test.step('a host name that does not exist', async () => {
      const elsewhere = await launch(withService({ baseUrl: 'https://ads.endcap.invalid' }));
      const error = await errorOf(elsewhere, 'ads', 'unreachable-name');
      expect(error.message).toMatch(/ads service at ads\.endcap\.invalid cannot be found/);
      expect(error.advice).toMatch(/DNS, and the spelling of service\.baseUrl/);
      await expect.poll(() => elsewhere.log()).toContain(error.message);
      // Books belong to one environment: another address starts new ones, and the screen shows the brand card.
      await expect.poll(async () => (await elsewhere.status()).state).toBe('no-content');
      expect(await elsewhere.terminate()).toBe(0);
    });
    await test.step('refused connections', async () => {
      await service.goDown();
      const again = await launch();
      const words = /cannot be connected to \(ECONNREFUSED\)/;
      const error = await errorOf(again, 'ads', 'unreachable-connection', words);
      expect(error.advice).toMatch(/network connection/);
      await expectToGoOnFromStore(again);
      await expect.poll(() => again.log()).toContain(error.message);
      // Requests are repeated less and less often.
      await speedUpTimers(again, 4);
      await service.comeBack();
      await expectRecovery(again);
    });
  });

  // Tokens are renewed at least two seconds before they expire, so that requests with them arrive in time.
  test.describe('with tokens of twelve seconds', () => {
    test.use({ serviceOptions: { tokenLifetimeSeconds: 12 } });

    test('a failing token service is reported before and after the old token expires, and the playlist stays', async () => {
      const running = await playing(undefined, fastTimersFromStart(3));
      service.setFaults({ token: { kind: 'status', status: 503 } });
      const error = await errorOf(running, 'token', 'server-error');
      expect(error.message).toMatch(/token service at .* has an error of its own \(503\)/);
      // The old token has expired.
      await advanceMonotonicClock(running, 12_000);
      await errorOf(running, 'ads', 'server-error');
      await expectToGoOnFromStore(running);
      await expect.poll(() => running.log()).toContain(error.message);
      service.setFaults({});
      // Skips the pause before the next token. The playlist's own, at most 60 s, runs three times as fast.
      await advanceMonotonicClock(running, 60_000);
      await expectRecovery(running);
    });
  });
});

test.describe('on one kiosk', () => {
  let running: Kiosk;

  shareWorld(async () => {
    serveTwoCreatives(service, BRIEF);
    running = await playing();
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
    await expectRecovery(running);
  });

  test('no fill is not an error: the stored playlist plays on', async () => {
    service.setAds([]);
    await expect.poll(async () => (await running.status()).noFillAt).not.toBeNull();
    await expectToGoOnFromStore(running, 'playing');
  });

  const errorsOf = (ad: string) => [`${service.origin}/collect/error?ad=${ad}&code=[ERRORCODE]`];

  test('ads without readable metadata are rejected by id and reported to their error URLs, and the other ads play', async () => {
    serveColours(service, { green: GREEN });
    service.setAds([
      { ...briefAd('red'), metadata: null, errors: errorsOf('red') },
      { ...briefAd('blue'), metadata: '{"request_id": "r1", "frequency_caps": "three a day"}' },
      briefAd('green'),
    ]);
    // Once per answer; an unchanged answer counts as none.
    await expect.poll(() => errorCodes(service, 'red')).toEqual(['101']);
    await expect
      .poll(async () => (await running.status()).playlist?.rejected.map(({ id, code }) => [id, code]))
      .toEqual([
        ['red', 'metadata-missing'],
        ['blue', 'metadata-invalid'],
      ]);
    await expectOnScreen(running, GREEN);
    // The display shows a picture one frame before the page can report it.
    await expectPlaying(running);
    const { playlist } = await running.status();
    expect(playlist?.ads).toBe(1);
    for (const { detail } of playlist?.rejected ?? []) expect(detail).toMatch(/\w+ \w+/);
    expect(running.log()).toMatch(/an ad was rejected .*"ad":"red","code":"metadata-missing"/);
    expect(running.log()).toMatch(/an ad was rejected .*"ad":"blue","code":"metadata-invalid"/);
  });

  test('a playlist without any of its new media replaces the stored one only once a file has arrived', async () => {
    service.setAds([briefAd('later'), briefAd('absent')]);
    await mediaProblem(running, 'later.png');
    await mediaProblem(running, 'absent.png');
    const stored = await running.playlists();
    expect(stored[0]?.ads.map(({ id }) => id)).toEqual(STORED);
    await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)]);
    expect((await running.playlists())[0]?.ads).toEqual(stored[0]?.ads);
    serveColours(service, { later: GREEN });
    // Skips the pause before the download is tried again.
    await advanceMonotonicClock(running, 60_000);
    await expectOnScreen(running, GREEN);
    const storedAds = async () => (await running.playlists())[0]?.ads.map(({ id }) => id);
    await expect.poll(storedAds).toEqual(['later', 'absent']);
  });

  test('a wrong answer instead of a creative is never shown and delays no other ad, and the creative plays later', async () => {
    const from = (await running.plays()).length;
    service.setFaults({ media: MEDIA.map(([, id, fault]) => ({ ...fault, match: `${id}.png` })) });
    for (const [, id] of MEDIA) serveColours(service, { [id]: GREEN });
    service.setAds([briefAd('red'), ...MEDIA.map(([, id]) => briefAd(id)), briefAd('blue')]);
    for (const [what, id, , problem] of MEDIA) {
      await test.step(what, async () => {
        await mediaProblem(running, `${id}.png`);
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
    const error = await errorOf(running, 'ads', 'malformed');
    expect(error.message).toMatch(/cannot be read/);
    expect(error.message).toContain(`127.0.0.1:${service.port}`);
    expect(error.advice).toMatch(/stored before stays in use/);
    await expect.poll(async () => (await running.status()).state).toBe('playing-from-store');
    const stored = (await running.playlists())[0]?.ads;
    expect(stored?.map(({ id }) => id)).toEqual(STORED);
    const logged = running.log().slice(from);
    expect(logged).toContain('"code":"malformed"');
    expect(logged).toContain(JSON.stringify(error.message).slice(1, -1));
    serveTwoCreatives(service, BRIEF);
    service.setFaults({});
    // The slots until the next try are filled from the store.
    const shown = [expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)];
    await Promise.all([...shown, expectRecovery(running)]);
    expect((await running.playlists())[0]?.ads).toEqual(stored);
  });

  // The last one: for a minute after it the status reports its beacons as a problem.
  test('an ad’s beacons, wrappers and media reach public addresses only; the rest of the ad plays', async () => {
    // On this machine, and named by ads only: must never be reached.
    await using forbidden = await watchedServer();
    const inside = (path: string) => `http://localhost:${forbidden.port}/${path}`;
    const { failed = 0 } = (await running.status()).beacons;
    const from = (await running.plays()).length;
    service.setAds([
      {
        ...briefAd('red'),
        impressions: [inside('impression'), `http://127.0.0.1:${forbidden.port}/impression`],
        tracking: [
          { event: 'start', url: `http://[::1]:${forbidden.port}/start` },
          { event: 'complete', url: inside('complete') },
        ],
      },
      { id: 'wrapped', wrapper: inside('vast.xml'), metadata: {}, errors: errorsOf('wrapped') },
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
});
