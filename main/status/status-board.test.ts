import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { Fact } from './facts';
import { withoutSecrets } from './shown-text';
import { type Status, StatusJson } from './status';
import { createStatusBoard, type KnownFacts, noFacts, statusOf, withFact } from './status-board';
import { MAX_RECENT_PLAYS, MAX_REJECTED } from './status-bounds';
import { exampleRead, shows } from './testing/example-status';

const problem = { code: 'unreachable', message: 'No network', advice: null };

const statusAt = (told: KnownFacts, now: number): Status => statusOf(told, exampleRead(now));

/** The state after these facts, reported a second apart. */
function toldOf(...facts: Fact[]): KnownFacts {
  return facts.reduce((told, fact, i) => withFact(told, fact, (i + 1) * 1000), noFacts(0));
}

const playAt = (at: number) =>
  examplePlay({ id: `p${at}`, at, mediaUrl: 'https://cdn.example/a.png?key=hush' });

const settled = (at: number): Fact => ({ kind: 'settled', play: playAt(at), drawn: [] });

const answers: Fact = { kind: 'service-succeeded', operation: 'ads' };
const fails: Fact = { kind: 'service-failed', operation: 'ads', problem };
const noFill: Fact = { kind: 'no-fill' };
const noFile: Fact = { kind: 'service-failed', operation: 'media', problem };
const file: Fact = { kind: 'service-succeeded', operation: 'media' };
const playlist: Fact = { kind: 'playlist', rejected: [] };
const held: Fact = { kind: 'held', reason: 'overlay' };
const released: Fact = { kind: 'held', reason: null };
const attention: Fact = { kind: 'attention', code: problem.code, problem };

describe('the state', () => {
  it.each<[string, Fact[], Status['state']]>([
    ['nothing was told', [], 'starting'],
    ['the service answered and nothing was shown', [answers], 'starting'],
    ['an ad is shown and the service answers', [answers, shows('offline')], 'playing'],
    ['a native ad is shown and the service answers', [answers, shows('native')], 'playing'],
    ['an ad is shown and the service never answered', [shows('offline')], 'playing-from-store'],
    ['an ad is shown and the service fails', [answers, fails, shows('offline')], 'playing-from-store'],
    ['the service answers again', [fails, shows('offline'), answers], 'playing'],
    ['another operation fails', [answers, shows('offline'), { ...fails, operation: 'beacons' }], 'playing'],
    ['a house creative is shown', [answers, shows('house')], 'no-content'],
    ['the brand card is shown', [shows(null)], 'no-content'],
    ['nothing is shown any more', [shows('offline'), shows(null)], 'no-content'],
    ['ads are held back', [answers, shows('offline'), held], 'held'],
    ['ads are let go again', [answers, shows('offline'), held, released], 'playing'],
    ['somebody has to act', [answers, shows('offline'), held, attention], 'attention'],
    [
      'somebody acted',
      [answers, shows('offline'), attention, { kind: 'attention', code: 'unreachable', problem: null }],
      'playing',
    ],
  ])('when %s', (_when, facts, state) => {
    const status = statusAt(toldOf(...facts), 60_000);
    expect(status.state).toBe(state);
    expect(status.sentence).toMatch(/\w/);
  });

  it.each(['overlay', 'maintenance', 'announcement', 'closed', 'window-hidden', 'display-off', 'link-view'])(
    'says in words why ads are held back: %s',
    (reason) => {
      const { sentence } = statusAt(toldOf({ kind: 'held', reason }), 60_000);
      expect(sentence).toMatch(/^Ads are held back: \w+ [\w' ]+\.$/);
      expect(sentence).not.toContain(`: ${reason}.`);
    },
  );

  it.each<[string, Fact[], RegExp]>([
    ['an ad', [fails, shows('offline')], / stored playlist\. The service: No network\.$/],
    ['no playlist', [fails, shows(null)], /^Nothing to play: .* yet\. The service: No network\.$/],
    [
      'no ad that may play',
      [playlist, fails, shows(null)],
      /no ad that the service has sent is eligible\. The service: No network\.$/,
    ],
    ['an empty answer', [noFill, answers, shows(null)], /^Nothing to play: the service has no ad/],
    ['no answer yet', [shows('offline')], / stored playlist\. The service has not answered yet\.$/],
    ['nothing at all yet', [shows(null)], /^Nothing to play: no playlist has arrived yet\.$/],
    ['an error that is over', [playlist, fails, answers, shows(null)], /eligible\.$/],
    ['one before an error', [noFill, answers, fails, shows(null)], / yet\. The service: No network\.$/],
    [
      'files that cannot be fetched',
      [playlist, answers, noFile, shows(null)],
      /eligible\. The last file .* could not be fetched: see the log\.$/,
    ],
    ['files that can', [playlist, answers, noFile, file, shows(null)], /eligible\.$/],
  ])('says of the service with %s what it says', (_what, facts, sentence) => {
    const read = exampleRead(60_000);
    const { sentence: said } = statusOf(toldOf(...facts), {
      ...read,
      media: { ...read.media, problems: ['a'] },
    });
    expect(said).toMatch(sentence);
  });

  it('says nothing of a file that cannot be fetched once no ad asks for it', () => {
    const facts = [playlist, answers, noFile, shows(null)];
    expect(statusAt(toldOf(...facts), 60_000).sentence).toMatch(/eligible\.$/);
  });

  it('needs attention until a play is stored again, not only settled', () => {
    const failing: Fact[] = [shows('offline'), { kind: 'books-failing', error: 'ENOSPC' }, settled(1)];
    expect(statusAt(toldOf(...failing), 60_000)).toMatchObject({
      state: 'attention',
      attention: [{ code: 'books-failing', advice: expect.stringContaining('goes on by itself') }],
    });
    const facts = { ...playAt(2), frequencyCaps: [] };
    const reserved: Fact = { kind: 'reserved', play: playAt(2), facts };
    expect(statusAt(toldOf(...failing, reserved), 60_000).attention).toEqual([]);
  });

  it('has the time of its last change', () => {
    const told = toldOf(answers, shows('offline'), shows('offline'), answers);
    expect(statusAt(told, 60_000).since).toBe(2000);
  });

  it('is the same object after counters only: the link sends only a changed status', () => {
    const told = toldOf(answers, shows('offline'));
    expect(withFact(told, { kind: 'fleet-message', result: 'sent' }, 5_000)).toBe(told);
    expect(withFact(told, shows('native'), 5_000)).not.toBe(told);
  });

  it('is the same object after a problem that is told again: its sentence does not change', () => {
    const late = { message: 'Late', advice: null };
    const other: Fact = { kind: 'attention', code: 'proof-waiting', problem: late };
    const told = toldOf(attention, other);
    expect(withFact(withFact(told, attention, 5_000), other, 6_000)).toBe(told);
    const over: Fact = { kind: 'attention', code: 'fleet-link', problem: null };
    expect(withFact(told, over, 7_000)).toBe(told);
    const changed = withFact(told, { ...attention, problem: { ...problem, message: 'Other' } }, 8_000);
    expect(changed.attention.map(({ message }) => message)).toEqual(['Other', 'Late']);
  });

  it('does not depend on the order of unrelated facts', () => {
    const facts: Fact[] = [answers, fails, shows('offline'), shows(null), held, released, attention];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...facts), { maxLength: 20, size: 'max' }), (told) => {
        const last = (kinds: readonly string[]) => told.filter(({ kind }) => kinds.includes(kind)).at(-1);
        const shown = last(['showing']);
        const state = statusAt(toldOf(...told), 100_000).state;
        const hold = last(['held']);
        if (told.includes(attention)) expect(state).toBe('attention');
        else if (hold?.kind === 'held' && hold.reason !== null) expect(state).toBe('held');
        else if (shown === undefined) expect(state).toBe('starting');
        else if (shown.kind === 'showing' && shown.showing.delivery === null)
          expect(state).toBe('no-content');
        else {
          const reached = last(['service-succeeded', 'service-failed'])?.kind === 'service-succeeded';
          expect(state).toBe(reached ? 'playing' : 'playing-from-store');
        }
      }),
    );
  });
});

describe('the status', () => {
  it('matches its schema from the start', () => {
    expect(StatusJson.safeParse(statusAt(noFacts(0), 0)).error).toBeUndefined();
  });

  it('matches its schema for all times', () => {
    // Far outside the range of a date, in both directions.
    const time = fc.double({ min: -1e18, max: 1e18, noNaN: true });
    fc.assert(
      fc.property(time, time, (at, now) => {
        const token = { ageMs: 0, expiresAt: at, expiresInMs: 0 };
        const status = statusOf(noFacts(at), { ...exampleRead(now), token });
        expect(StatusJson.safeParse(status).success).toBe(true);
      }),
    );
  });

  it('keeps the last success beside the last error', () => {
    const { ads } = statusAt(toldOf(answers, fails), 60_000).service;
    expect(ads).toEqual({
      lastSuccessAt: 1000,
      lastError: { ...problem, at: 2000 },
      failing: true,
    });
    expect(statusAt(toldOf(answers, fails, answers), 60_000).service.ads).toMatchObject({
      lastError: problem,
      failing: false,
    });
  });

  it('computes ages at the time of the request', () => {
    const status = statusOf(toldOf(playlist), { ...exampleRead(10_000), playlistAt: 4_000 });
    expect(status.playlist).toMatchObject({ receivedAt: 4_000, ageMs: 6_000 });
  });

  it('lists the first hundred rejected ads and counts them all', () => {
    const rejected = Array.from({ length: 250 }, () => ({ id: null, code: 'malformed-ad', detail: '' }));
    const told = toldOf({ kind: 'playlist', rejected });
    const { playlist } = statusOf(told, { ...exampleRead(0), playlistAt: 0 });
    expect([playlist?.rejected.length, playlist?.rejectedTotal]).toEqual([MAX_REJECTED, 250]);
  });

  it('has the ads of the stored playlist, whatever the last answer held, and those that were rejected of that', () => {
    const rejected = [{ id: 'bad', code: 'metadata-missing', detail: '' }];
    const told = toldOf({ kind: 'playlist', rejected });
    const { tally } = exampleRead(0);
    const { playlist } = statusOf(told, { ...exampleRead(0), playlistAt: 0 });
    expect(playlist).toMatchObject({ ads: tally.ads, playable: tally.playable, rejected });
    const none = statusAt(told, 0);
    expect(none.playlist).toBeNull();
    expect(none.rejectedAds).toEqual({ rejected, rejectedTotal: 1 });
  });

  it('lists the plays of the last hour, a bounded number of them', () => {
    let told = noFacts(0);
    for (let i = 0; i < 10; i += 1) {
      told = withFact(told, settled(i * 600_000), i * 600_000);
    }
    expect(statusAt(told, 5_400_000).plays.map(({ at }) => at)).toEqual(
      [4, 5, 6, 7, 8, 9].map((i) => i * 600_000),
    );
    expect(statusAt(told, 9_000_000).plays).toEqual([]);
    expect(told.plays.every(({ mediaUrl }) => mediaUrl === 'https://cdn.example/a.png?…')).toBe(true);
    for (let i = 0; i < MAX_RECENT_PLAYS + 10; i += 1) {
      told = withFact(told, settled(5_400_000), 5_400_000);
    }
    expect(told.plays).toHaveLength(MAX_RECENT_PLAYS);
  });

  it('replaces a section that is reported again, and an attention with the same code', () => {
    const again = { ...problem, message: 'Still no network' };
    const section = { kind: 'section', name: 'signalsServer' } as const;
    const value = { url: null, problem: 'its port is taken' };
    const told = toldOf(
      { ...section, value: { ...value, problem: null } },
      { ...section, value },
      attention,
      { kind: 'attention', code: again.code, problem: again },
    );
    const status = statusAt(told, 0);
    expect(status.signalsServer).toEqual(value);
    expect(status.attention).toEqual([again]);
  });
});

it('says whether a video on the screen moves', () => {
  const video: Fact = { ...shows('offline'), moving: true } as Fact;
  const ended = (endReason: 'completed' | 'stalled'): Fact => ({
    kind: 'settled',
    play: { ...playAt(1), endReason },
    drawn: [],
  });
  expect(toldOf(video, ended('completed')).video).toBe('advancing');
  expect(toldOf(video, ended('stalled')).video).toBe('stalled');
  expect(toldOf(video, ended('stalled'), shows('offline')).video).toBe('none');
});

it('counts creatives as failing only while one that is wanted has a problem', () => {
  const told = toldOf({ ...fails, operation: 'media' } as Fact);
  const { media } = exampleRead(0);
  const failing = (problems: string[]) =>
    statusOf(told, { ...exampleRead(0), media: { ...media, problems } }).service.media.failing;
  expect([failing(['a.mp4: status: got 404.']), failing([])]).toEqual([true, false]);
  expect(statusOf(toldOf(), { ...exampleRead(0), media: { ...media, problems: ['x'] } })).toMatchObject({
    service: { media: { failing: false } },
  });
});

describe('a media address in the status', () => {
  it.each([
    ['https://cdn.example/a.mp4', 'https://cdn.example/a.mp4'],
    ['https://cdn.example/a.mp4?key=hush', 'https://cdn.example/a.mp4?…'],
    ['https://cdn.example/a.mp4#hush', 'https://cdn.example/a.mp4?…'],
    ['https://user:hush@cdn.example/a@b.mp4', 'https://cdn.example/a@b.mp4'],
    ['not a url', 'not a url'],
  ])('%s is shown as %s', (url, shown) => {
    expect(withoutSecrets(url)).toBe(shown);
  });
});

it('says when the kiosk started, and since when it is in its state, by the clock as it is set now', () => {
  let setTo = 0;
  let ran = 0;
  const board = createStatusBoard({ now: () => setTo + ran, monotonic: () => ran });
  const sinces = () => [board.told().startedAt, board.told().since];
  ran = 5_000;
  board.tell(shows('offline'));
  expect(sinces()).toEqual([0, 5_000]);
  // What is corrected gradually is no other time.
  setTo = 119_000;
  expect(sinces()).toEqual([0, 5_000]);
  setTo = Date.UTC(2026, 10, 20);
  ran = 9_000;
  expect(sinces()).toEqual([setTo, setTo + 5_000]);
  board.tell({ kind: 'held', reason: 'closed' });
  expect(sinces()).toEqual([setTo, setTo + 9_000]);
  const before = board.told();
  expect(board.told()).toBe(before);
});

it('makes metrics that are loaded late count every fact once, in order', () => {
  const fact = fc.integer().map((code): Fact => ({ kind: 'attention', code: `${code}`, problem: null }));
  fc.assert(
    fc.property(fc.array(fact), fc.array(fact), (before, after) => {
      const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
      const counted: Fact[] = [];
      before.forEach(board.tell);
      board.countWith((each) => counted.push(each));
      after.forEach(board.tell);
      expect(counted).toEqual([...before, ...after]);
    }),
  );
});
