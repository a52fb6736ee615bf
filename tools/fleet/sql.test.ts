import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportLines } from '../../main/records/exported-plays';
import { provenPlay } from '../../main/records/testing/proven-plays';
import { panelQueries } from './sight/read-sight';
import { type QueryName, queryText, tableStatement } from './sql-files';
import { arrivingBodies, deliver } from './testing/deliver';
import { type Engine, startEngine } from './testing/engine';
import { type Fate, histories, type KioskHistory, START } from './testing/histories';
import { kioskSegments } from './testing/kiosk';
import * as oracle from './testing/oracle';
import { rowOf, type SimplePlay } from './testing/plays';
import { assertInTime } from './testing/property-in-time';
import { readAcceptedKiosks } from './verify/accepted-kiosks';
import type { Finding } from './verify/findings';
import { verifyTable } from './verify/verify-table';

/** All of time, and a piece out of the middle of the histories. */
const ALL = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
const PIECE = { from: '2026-11-22T22:31:00Z', to: '2026-11-23T06:00:00Z' };
const HOUR = 3_600_000;
const RUNS = 20;

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.close());
beforeEach(() => engine.empty());

/** A query's rows, in an order that is independent of the query's, with texts of numbers as numbers. */
async function ask(name: QueryName, values: Record<string, string> = {}) {
  const rows = await engine.clickHouse.all(queryText(name, values));
  return sorted(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(key, value)])),
    ),
  );
}

const TEXTS = new Set([
  'kiosk',
  'campaign',
  'flight',
  'sourceName',
  'sourceKey',
  'capWindow',
  'playId',
  'reason',
  'day',
  'lastSent',
  'lastMade',
]);

function plain(key: string, value: unknown): unknown {
  return TEXTS.has(key) || value === null ? value : Number(value);
}

function sorted<T>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Delivers histories into an empty table; returns the rows that arrived. */
async function arrive(kiosks: readonly KioskHistory[]): Promise<oracle.Row[]> {
  await engine.empty();
  const bodies = kiosks.flatMap((history) => arrivingBodies(kioskSegments(), history));
  // Only two inserts, because each is slow; the answers do not depend on how rows are inserted.
  const half = bodies.length >> 1;
  await deliver(engine.clickHouse, 'plays', [bodies.slice(0, half).join(''), bodies.slice(half).join('')]);
  return oracle.rowsIn(bodies);
}

describe.skipIf(process.platform !== 'linux')('the SQL of proof of play', () => {
  it('equals a slow count of the rows, with repeated, revised, lost and set-aside rows', async () => {
    await assertInTime(
      histories(false),
      async (kiosks) => {
        const rows = await arrive(kiosks);
        for (const { from, to } of [ALL, PIECE]) {
          expect(await ask('billing', { from, to })).toEqual(sorted(oracle.billing(rows, from, to)));
          expect(await ask('source-mix', { from, to })).toEqual(sorted(oracle.sourceMix(rows, from, to)));
        }
        expect(await ask('completeness')).toEqual(sorted(oracle.completeness(rows)));
        const missing = (await ask('missing-ranges')).flatMap(numbersOf);
        expect(sorted(missing)).toEqual(sorted(oracle.missingNumbers(rows)));
      },
      RUNS,
    );
  });

  it('finds exactly the plays that exceed a cap, if clocks are right and no row is missing', async () => {
    await assertInTime(
      histories(true),
      async (kiosks) => {
        const rows = await arrive(kiosks);
        const found = await ask('cap-audit', { ...ALL, history: ALL.from });
        expect(found).toEqual(sorted(withNumbers(oracle.overDeliveries(rows))));
        const slices = [{ toKiosk: '8' }, { fromKiosk: '8' }].map((slice) =>
          ask('cap-audit', { ...ALL, ...slice, history: ALL.from }),
        );
        expect(sorted((await Promise.all(slices)).flat())).toEqual(found);
        const piece = await ask('cap-audit', { ...PIECE, history: ALL.from });
        const isInPiece = ({ playMs }: Record<string, unknown>) =>
          Number(playMs) >= Date.parse(PIECE.from) && Number(playMs) < Date.parse(PIECE.to);
        expect(piece).toEqual(found.filter(isInPiece));
      },
      RUNS,
    );
  });

  it('lists plays near a clock correction separately, and is right about all others', async () => {
    await assertInTime(
      histories(false),
      async (kiosks) => {
        const rows = await arrive(kiosks);
        const apart = ({ nearCorrection }: Record<string, unknown>) => Number(nearCorrection) === 0;
        const found = await ask('cap-audit', { ...ALL, history: ALL.from });
        const expected = withNumbers(oracle.overDeliveries(rows));
        expect(found.filter(apart)).toEqual(sorted(expected.filter(apart)));
      },
      RUNS,
    );
  });

  it.each(['higher', 'lower'])(
    'counts a play by its row of the higher epoch, if two have the same revision and the %s one is read first',
    async (first) => {
      // The database went back to a copy in which the play was still on the screen.
      const kiosk = kioskSegments();
      const bodies = arrivingBodies(kiosk, inTwoEpochs(['completed', 'unknown']));
      if (first === 'higher') bodies.reverse();
      for (const body of bodies) await deliver(engine.clickHouse, 'plays', [body]);
      const rows = oracle.rowsIn(bodies);
      const { from, to } = ALL;
      expect(await ask('billing', ALL)).toEqual(oracle.billing(rows, from, to));
      expect(await ask('source-mix', ALL)).toEqual(oracle.sourceMix(rows, from, to));
    },
  );

  it('lists silent kiosks, and plays that arrived after the bill', async () => {
    const now = Date.now();
    await arrive([{ epochs: [epochMadeAt(now, 'arrived')] }, { epochs: [epochMadeAt(now, 'repeated')] }]);
    const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    expect(await ask('silent-kiosks', { at: at(now + HOUR / 2) })).toEqual([]);
    const silent = await ask('silent-kiosks', { at: at(now + 2 * HOUR) });
    expect(silent).toHaveLength(2);
    for (const { silentSeconds, lastSent, lastMade } of silent) {
      expect(Number(silentSeconds)).toBeGreaterThanOrEqual(3600);
      // In UTC, whatever the server's time zone.
      expect(lastSent).toBe(String(lastMade).replace('T', ' ').slice(0, 19));
    }
    expect(await ask('late-arrivals', { ...ALL, billed: at(now + 2 * HOUR) })).toEqual([]);
    // The bill made later may have missed them: a segment's time of arrival is when the server began to read it.
    for (const billed of [at(now - HOUR), at(now + 50 * 60_000)]) {
      const late = await ask('late-arrivals', { ...ALL, billed });
      expect(late.map(({ newPlays, revisions }) => [newPlays, revisions])).toEqual([
        [3, 1],
        [3, 1],
      ]);
    }
  });

  it('answers in slices of kiosks that add up', async () => {
    const { rows } = epochMadeAt(START, 'arrived');
    const segments = [
      { size: 2, fate: 'set-aside' as const },
      { size: 2, fate: 'arrived' as const },
    ];
    const history = { epochs: [{ epoch: START, rows, segments }] };
    const bodies = ['1', 'f'].flatMap((digit) => arrivingBodies(kioskSegments(digit.repeat(16)), history));
    await deliver(engine.clickHouse, 'plays', bodies);
    const inSlices = (name: QueryName, values: Record<string, string> = {}) =>
      Promise.all([{ toKiosk: '8' }, { fromKiosk: '8' }].map((slice) => ask(name, { ...values, ...slice })));
    for (const name of ['completeness', 'missing-ranges'] as const) {
      const slices = await inSlices(name);
      expect(slices.map(({ length }) => length)).toEqual([1, 1]);
      expect(slices.flat()).toEqual(await ask(name));
    }
    const plays = (answer: Record<string, unknown>[]) => answer.map((row) => row.plays);
    const [one = [], other = []] = await inSlices('source-mix', ALL);
    expect([plays(one), plays(other), plays(await ask('source-mix', ALL))]).toEqual([[2], [2], [4]]);
  });

  it('misses as many numbers in the dashboard as in completeness.sql, also before all that arrived', async () => {
    const { rows } = epochMadeAt(START, 'arrived');
    const segments = [
      { size: 2, fate: 'set-aside' as const },
      { size: 2, fate: 'arrived' as const },
    ];
    await arrive([{ epochs: [{ epoch: START, rows, segments }] }]);
    const panel = panelQueries().find(({ where }) => where.includes('Numbers that are missing'));
    const shown = await engine.clickHouse.all(panel?.text ?? '');
    expect(shown.map(({ missing }) => Number(missing))).toEqual([2]);
    expect(await ask('completeness')).toMatchObject([{ firstSeq: 1, missing: 2 }]);
  });

  it('does not take a kiosk for silent because its clock is ahead, and finds its silence', async () => {
    const now = Date.now();
    const made = [now - 2 * HOUR, now + 24 * HOUR];
    await arrive([{ epochs: made.map((each) => epochMadeAt(each, 'arrived')) }]);
    const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    expect(await ask('silent-kiosks', { at: at(now + HOUR / 2) })).toEqual([]);
    const [silent] = await ask('silent-kiosks', { at: at(now + 2 * HOUR) });
    // From the arrival of the segment whose time lies ahead.
    expect(Number(silent?.silentSeconds)).toBeLessThan(2.5 * 3600);
  });

  it('gives all rows of a segment one time of arrival, by which old ones are deleted: none outlives the others', async () => {
    // Its three plays, a revision and the manifest, which was made an hour later.
    await arrive([{ epochs: [epochMadeAt(START + HOUR, 'arrived')] }]);
    const [found] = await engine.clickHouse.all(
      'SELECT count() AS inserted, uniqExact(time) AS times, uniqExact(receivedAt) AS arrivals FROM plays',
    );
    expect(found).toEqual({ inserted: '5', times: '4', arrivals: '1' });
    expect(tableStatement({ ttlMonths: '25' })).toContain('TTL receivedAt + INTERVAL 25 MONTH');
  });

  it('tells rows apart by every column that kiosks write', async () => {
    const columns = await engine.clickHouse.all(
      "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'plays' AND default_kind = ''",
    );
    const [, compared = ''] = /SHA256\(toString\(\((.+?)\)/.exec(tableStatement()) ?? [];
    expect(compared.replaceAll('`', '').split(', ')).toEqual(columns.map(({ name }) => name));
  });

  it.each([
    ['a play', { kind: 'play', viewedMs: 0, outcome: 'given-back' }],
    ['a manifest', { kind: 'segment', signature: 'AA==' }],
  ])('keeps %s of which a forged copy came later, and merges repeats away', async (_name, forged) => {
    const kiosk = kioskSegments();
    const [body = ''] = arrivingBodies(kiosk, { epochs: [epochMadeAt(START, 'arrived')] });
    await deliver(engine.clickHouse, 'plays', [body, body]);
    const lines = body.trim().split('\n');
    const genuine = lines.find((line) => line.includes(`"kind":"${forged.kind}"`)) ?? '';
    await deliver(engine.clickHouse, 'plays', [JSON.stringify({ ...JSON.parse(genuine), ...forged })]);
    await mergeAll();
    const rows = await engine.clickHouse.all('SELECT kind, seq, viewedMs, signature FROM plays');
    expect(rows).toHaveLength(lines.length + 1);
    const { kind, seq, viewedMs = 0, signature = '' } = JSON.parse(genuine);
    expect(rows).toContainEqual({ kind, seq: String(seq), viewedMs, signature });
    const conflict = forged.kind === 'play' ? 'row-conflict' : 'segment-conflict';
    expect((await verified(kiosk.publicKey)).map(({ code }) => code)).toContain(conflict);
  });

  describe('an export that is loaded as docs/fleet.md says', () => {
    const [kiosk, newName] = ['3f0c9d2a7be41586', 'new name'];
    const plays = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((id) => provenPlay(id));
    const [a, , c] = plays.map((play) => JSON.parse(exportLines('ndjson', [play])));
    const delivered = (row: object) =>
      deliver(engine.clickHouse, 'plays', [
        JSON.stringify({ kiosk, kind: 'play', epoch: START, seq: 7, ...row }),
      ]);
    /** Runs the commands of the document, changed in one place. */
    const load = (from = '', to = '') => {
      const folder = mkdtempSync(join(tmpdir(), 'endcap-sql-'));
      writeFileSync(join(folder, 'plays.ndjson'), exportLines('ndjson', plays));
      const document = readFileSync('docs/fleet.md', 'utf8');
      const [, commands = ''] = /```sh\n(curl[^\n]* > known[\s\S]*?)```/.exec(document) ?? [];
      const here = commands
        .replaceAll('http://user:password@host:8123/', engine.url)
        .replaceAll('endcap.plays', 'plays')
        .replace('database=endcap', 'database=default');
      const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
      try {
        return execFileSync('sh', ['-c', here.replace(from, to)], options);
      } finally {
        rmSync(folder, { recursive: true });
      }
    };

    it('bills each play once, also those that were delivered under either name', async () => {
      await delivered({ ...c, kiosk: newName });
      load();
      // Revised on the kiosk, and delivered after all.
      await delivered({ ...a, rev: 1 });
      expect(await ask('billing', ALL)).toMatchObject([{ flight: 'flight-1', plays: 3, kiosks: 2 }]);
    });

    it('loads nothing if nobody says which plays the table has', async () => {
      await delivered({ ...c, kiosk: newName });
      expect(() => load('SELECT DISTINCT id', 'SELECT DISTINCT nothing')).toThrow();
      expect(await ask('billing', ALL)).toMatchObject([{ plays: 1 }]);
    });
  });

  describe('a loaded export of delivered plays', () => {
    async function audited(
      window: string,
      limit: number,
      afterMs: readonly number[],
      loaded: readonly number[],
      from = ALL.from,
    ) {
      const kiosk = kioskSegments();
      const [play] = epochMadeAt(START, 'arrived').rows.map((row) => row.play);
      if (!play) throw new Error('expected a play');
      const caps = [{ window: `FREQUENCY_CAP_WINDOW_${window}`, limit }];
      const place = { kiosk: kiosk.kiosk, epoch: START, rev: 0 };
      const rows = afterMs.map((after, index) =>
        rowOf({ ...play, id: `p${index}`, at: START + after, caps }, { ...place, seq: index + 1 }),
      );
      const again = loaded.map((index, at) => ({ ...rows[index], epoch: 1, seq: at + 1, caps: undefined }));
      await deliver(engine.clickHouse, 'plays', [
        kiosk.cut(rows, START + 49 * HOUR).body,
        ...again.map((row) => JSON.stringify(row)),
      ]);
      return ask('cap-audit', { ...ALL, from, history: ALL.from });
    }

    it('is no correction of the clock', async () => {
      const found = await audited('HOUR', 1, [0, 10_000, 48 * HOUR], [2]);
      expect(found).toMatchObject([{ playId: 'p1', nearCorrection: 0 }]);
    });

    it('changes no place in the sequence, by which caps of the whole flight are judged', async () => {
      const later = `${new Date(START + 24 * HOUR).toISOString().slice(0, 19)}Z`;
      const found = await audited('FLIGHT', 2, [0, 30 * HOUR, 48 * HOUR], [1, 2], later);
      expect(found).toMatchObject([{ playId: 'p2' }]);
    });
  });

  it('lists a day from which a revision that came after the bill moved a play away', async () => {
    const kiosk = kioskSegments();
    const [play] = epochMadeAt(START, 'arrived').rows.map((row) => row.play);
    if (!play) throw new Error('expected a play');
    const place = { kiosk: kiosk.kiosk, epoch: 1 };
    const cut = (moved: SimplePlay, seq: number) =>
      kiosk.cut([rowOf(moved, { ...place, seq, rev: seq - 1 })], START + seq).body;
    await deliverTwoHoursAgo([cut(play, 1)]);
    // The kiosk's clock was a day ahead.
    await deliver(engine.clickHouse, 'plays', [cut({ ...play, at: play.at - 24 * HOUR }, 2)]);
    const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    const billed = at(Date.now() - HOUR / 2);
    // As above: the bill made later may have missed the revision.
    for (const time of [billed, at(Date.now() + 50 * 60_000)]) {
      const found = await ask('late-arrivals', { ...ALL, billed: time });
      expect(found).toMatchObject([
        { day: '2026-11-21', newPlays: 0, revisions: 1, movedAway: 0 },
        { day: '2026-11-22', newPlays: 0, revisions: 0, movedAway: 1 },
      ]);
    }
    const day = { from: '2026-11-22T00:00:00Z', to: '2026-11-23T00:00:00Z' };
    expect(await ask('late-arrivals', { ...day, billed })).toMatchObject([
      { day: '2026-11-22', movedAway: 1 },
    ]);
  });

  it('takes no void play for one that came after the bill, or that was billed', async () => {
    const kiosk = kioskSegments();
    const [first, second, third] = epochMadeAt(START, 'arrived').rows.map((row) => row.play);
    if (!first || !second || !third) throw new Error('expected three plays');
    const asVoid = (play: SimplePlay): SimplePlay => ({ ...play, outcome: 'given-back', isShown: false });
    const place = { kiosk: kiosk.kiosk, epoch: 1 };
    const cut = (play: SimplePlay, seq: number, rev: number) =>
      kiosk.cut([rowOf(play, { ...place, seq, rev })], START + seq).body;
    const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    const lateNow = () => ask('late-arrivals', { ...ALL, billed: at(Date.now() - HOUR / 2) });

    await deliverTwoHoursAgo([cut(asVoid(first), 1, 0), cut(second, 2, 0)]);
    await deliver(engine.clickHouse, 'plays', [cut(asVoid(third), 3, 0)]);
    expect(await lateNow()).toEqual([]);
    // Each revision may change the bill of its own day; no play was billed for the day that the void one left.
    const moved = asVoid({ ...first, at: first.at - 24 * HOUR });
    await deliver(engine.clickHouse, 'plays', [cut(moved, 4, 1), cut(asVoid(second), 5, 1)]);
    expect(await lateNow()).toMatchObject([
      { day: '2026-11-21', newPlays: 0, revisions: 1, movedAway: 0 },
      { day: '2026-11-22', newPlays: 0, revisions: 1, movedAway: 0 },
    ]);
  });
});

/** Merges every partition into one part. */
async function mergeAll(): Promise<void> {
  await engine.clickHouse.run('SYSTEM START MERGES');
  await engine.clickHouse
    .run('OPTIMIZE TABLE plays FINAL')
    .finally(() => engine.clickHouse.run('SYSTEM STOP MERGES'));
}

/** What `fleet-verify` finds, if it accepts one kiosk. */
async function verified(publicKey: string): Promise<Finding[]> {
  const accepted = readAcceptedKiosks(publicKey);
  if ('error' in accepted) throw new Error(accepted.error);
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  await verifyTable(engine.clickHouse, { table: 'plays', from: null, to: null }, accepted.kiosks, report);
  return findings;
}

/** Delivers bodies as if they had arrived two hours ago. */
async function deliverTwoHoursAgo(bodies: readonly string[]): Promise<void> {
  const receivedAt = (time: string) =>
    engine.clickHouse.run(`ALTER TABLE plays MODIFY COLUMN receivedAt DateTime MATERIALIZED ${time}`);
  await receivedAt('now() - 7200');
  await deliver(engine.clickHouse, 'plays', bodies).finally(() => receivedAt('now()'));
}

/** A play that has a row of the same revision in two epochs, each with its outcome. */
function inTwoEpochs(outcomes: readonly [SimplePlay['outcome'], SimplePlay['outcome']]): KioskHistory {
  const { rows } = epochMadeAt(START, 'arrived');
  return {
    epochs: outcomes.map((outcome, index) => ({
      epoch: START + index,
      rows: rows.slice(0, 1).map((row) => ({
        ...row,
        play: { ...row.play, outcome, sourceId: `source ${index}` },
      })),
      segments: [{ size: 1, fate: 'arrived' as const }],
    })),
  };
}

/** Three plays, the second with a revision, in one segment that is made at `now`. */
function epochMadeAt(now: number, fate: Fate): KioskHistory['epochs'][number] {
  const play = (place: number): SimplePlay => ({
    id: `play-${place}`,
    at: START + place * 10_000,
    isShown: true,
    outcome: 'completed',
    viewedMs: 10_000,
    durationMs: 10_000,
    environment: 'books',
    flightId: 'f1',
    campaignId: 'c',
    source: null,
    sourceId: null,
    caps: [],
  });
  const rows = [play(0), play(1), play(2)].map((each) => ({ play: each, rev: 0 }));
  return {
    epoch: now - 4,
    rows: [...rows, { play: play(1), rev: 1 }],
    segments: [{ size: 4, fate }],
  };
}

function withNumbers(rows: ReturnType<typeof oracle.overDeliveries>) {
  return rows.map((row) => ({ ...row, nearCorrection: row.nearCorrection ? 1 : 0 }));
}

function numbersOf({ kiosk, epoch, missingFirst, numbers, reason }: Record<string, unknown>) {
  return Array.from({ length: Number(numbers) }, (_, index) => ({
    kiosk,
    epoch,
    seq: Number(missingFirst) + index,
    reason,
  }));
}
