import { describe, expect, it } from 'vitest';
import type { NativeAd, RevenueModel } from '../../shared/native';
import { houseUrl } from '../media/house-file';
import type { Native } from '../native/native';
import { nativeAdForTest } from '../native/testing/native-ad-for-test';
import { brandCard } from '../playback/slot-ad';
import { nativeStatus, quarantineStatus, type StatusSources, statusReader } from './read-status';
import { noFacts } from './status-board';
import { MAX_NATIVE_ADS, MAX_PROBLEMS } from './status-bounds';
import { exampleRead, shows, toldAfter } from './testing/example-status';

function native(points: number | null, revenueModel: RevenueModel | null): Native {
  const ad: NativeAd = nativeAdForTest('instance-1');
  return {
    held: () => [{ ...ad, meta: { ...ad.meta, points, revenueModel } }],
    state: () => ({ held: 1, reachable: true, lastResult: 'ads' }),
  } as Pick<Native, 'held' | 'state'> as Native;
}

describe('the value of the points of a native ad in the status', () => {
  it.each<[number | null, RevenueModel | null, string | null]>([
    [250, 'CPA', '0.25 USD per conversion'],
    [1500, 'CPM', '1.5 USD per 1000 impressions'],
    [40, 'CPC', '0.04 USD per click'],
    [0, 'CPC', "0 points: ask the provider's team"],
    [40, 'other', 'points without a revenue model this kiosk knows'],
    [null, 'CPC', null],
  ])('%s points of a %s campaign: %s', (points, model, expected) => {
    expect(nativeStatus(native(points, model))?.ads[0]?.payout).toBe(expected);
  });
});

it('lists a bounded number of held native ads, and counts them all', () => {
  const [ad] = native(null, null).held();
  const many = {
    held: () => new Array(MAX_NATIVE_ADS + 1).fill(ad),
    state: () => ({ held: 99 }),
  } as unknown as Native;
  const { held, ads } = nativeStatus(many);
  expect([held, ads.length]).toEqual([99, MAX_NATIVE_ADS]);
});

it('lists files in quarantine with cause, times and advice, latest first, without secrets', () => {
  const one = {
    sha256: 'a',
    name: 'https://cdn.example/a.html?key=hush',
    cause: 'hang',
    since: 0,
    until: 5,
  } as const;
  const status = quarantineStatus({ all: () => [one, { ...one, name: 'b.html', sha256: 'b' }] });
  expect(status).toMatchObject([
    { creative: 'b.html' },
    {
      code: 'harmful',
      cause: 'hang',
      creative: 'https://cdn.example/a.html?…',
      sha256: 'a',
      since: 0,
      until: 5,
      advice: expect.stringContaining('another file'),
    },
  ]);
});

it('lists a bounded number of files in quarantine', () => {
  const one = { sha256: 'a', cause: 'hang', since: 0, until: 5 } as const;
  const all = Array.from({ length: MAX_PROBLEMS + 1 }, (_, number) => ({ ...one, name: `${number}.html` }));
  const status = quarantineStatus({ all: () => all });
  expect([status[0]?.creative, status.length]).toEqual([`${MAX_PROBLEMS}.html`, MAX_PROBLEMS]);
});

it('advises staff to mend a house creative in quarantine in its folder', () => {
  const name = houseUrl('Käse.html', { bytes: 1, modifiedMs: 2, inode: 3 });
  const [told] = quarantineStatus({ all: () => [{ sha256: 'a', name, cause: 'hang', since: 0, until: 5 }] });
  expect(told).toMatchObject({
    creative: 'house:Käse.html',
    advice: expect.stringContaining('house folder'),
  });
});

describe('values that are read with each request of the status', () => {
  const NOW = 100_000;
  const { versions, memory, signals, processStartedAt, beacons, egress, tally, restarts } = exampleRead(NOW);
  const books = { unsettled: 0, lostPlays: 2, restoredFlights: 0, restoredFromJournal: 0 };
  const forecast: number[] = [];
  const sources = {
    versions,
    processStartedAt: () => processStartedAt,
    environment: 'e',
    native: null,
    playable: () => null,
    usualMs: 7_000,
    clock: { now: () => NOW, systemNow: () => NOW - 250, lastTrustedAt: () => null },
    memory: () => memory,
    signals: { ages: () => signals },
    tokens: { inUse: () => ({ ageMs: 9_000, expiresInMs: 40_000 }) },
    books: {
      report: () => ({ ...books, correctedFlights: 0, restoredFrom: null }),
      playCount: () => 3,
      lastPlayAt: () => null,
    },
    media: {
      conditions: () => [{ code: 'disk-full', message: 'no space left.', advice: 'Free disk space.' }],
      problems: () => [],
      usage: () => exampleRead(NOW).media,
    },
    quarantine: { all: () => [] },
    beacons: { counts: () => beacons },
    egress: { state: () => egress },
    playlist: () => null,
    decider: {
      tally: () => tally,
      forecast(from: number) {
        forecast.push(from);
        return [];
      },
    },
    restarts: () => restarts,
    display: { power: () => ({ how: 'ddc', on: false, until: null, by: 'switch', problem: null }) },
  } as unknown as StatusSources;

  it('include the clock, the token in use, the books, the disk and the ads by verdict', () => {
    expect(statusReader(() => noFacts(0), sources)()).toMatchObject({
      media: { problems: ['disk-full: no space left. Free disk space.'] },
      cacheProblems: ['disk-full'],
      clock: { now: NOW, systemNow: NOW - 250, correctionMs: 250, trusted: false, lastTrustedAt: null },
      token: { ageMs: 9_000, expiresInMs: 40_000, expiresAt: NOW + 40_000 },
      books: { plays: 3, lost: { plays: 2 } },
      playlistAt: null,
      tally,
      display: { how: 'ddc', on: false, by: 'switch' },
    });
  });

  it('include problems of the whole cache, then those of files, a bounded number, and none twice', () => {
    const problem = { url: 'https://m.test/a.png', code: 'status', detail: 'got 404' };
    const problems = [{ ...problem, code: 'no-room' }, ...new Array(MAX_PROBLEMS).fill(problem)];
    const media = { ...sources.media, problems: () => problems };
    const status = statusReader(() => noFacts(0), { ...sources, media })();
    expect(status.media.problems.slice(0, 2)).toEqual([
      'disk-full: no space left. Free disk space.',
      expect.stringMatching(/^https:\/\/m.test\/a.png: status: got 404. Check the media server/),
    ]);
    expect(status.media.problems).toHaveLength(MAX_PROBLEMS);
  });

  it('include the next slots, from the end of the current one', () => {
    const runs = [shows('offline', { at: NOW - 4_000, durationMs: 10_000 })];
    const showing = {
      ...brandCard(0),
      delivery: 'native',
      adId: 'waits',
      at: null,
      durationMs: 5_000,
    } as const;
    const status = statusReader(() => toldAfter([...runs, { kind: 'next', showing, files: [] }]), sources)();
    expect(status.upcoming).toMatchObject([{ adId: 'waits', at: NOW + 6_000 }]);
    expect(forecast.at(-1)).toBe(NOW + 11_000);
    statusReader(() => toldAfter([shows(null, { at: 0 })]), sources)();
    expect(forecast.at(-1)).toBe(NOW);
  });
});
