import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MissingRange, PlayFields } from '../../../main/fleet/segment';
import { clickHouseAt } from '../clickhouse-client';
import { PLAY_FIELDS } from '../columns';
import { outputOf } from '../command-line';
import { WRITTEN_COLUMNS } from '../sql-files';
import { arrivingBodies, deliver } from '../testing/deliver';
import { type Engine, startEngine } from '../testing/engine';
import { histories } from '../testing/histories';
import { type KioskSegments, kioskSegments, type Segment } from '../testing/kiosk';
import { completeness, missingNumbers, rowsIn } from '../testing/oracle';
import { rowOf } from '../testing/plays';
import { assertInTime } from '../testing/property-in-time';
import { findingsIn, inShort } from '../testing/verify-lines';
import { readAcceptedKiosks } from './accepted-kiosks';
import type { Finding } from './findings';
import { runVerify } from './verify-command';

const EPOCH = Date.parse('2026-11-01T00:00:00.000Z');
const SEGMENT_ROWS = 5;
const FLEET_DOCUMENT = readFileSync('docs/fleet.md', 'utf8');

function rows(
  kiosk: string,
  first: number,
  count: number,
  more: Record<string, string | number | null> = {},
): PlayFields[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = first + index;
    const play = {
      id: `play-${seq}`,
      at: EPOCH + seq * 10_000,
      isShown: true,
      outcome: 'completed' as const,
      viewedMs: 10_000,
      durationMs: 10_000,
      environment: 'books',
      flightId: 'f',
      campaignId: 'c',
      source: 'SOURCE_TYPE_CMS',
      sourceId: 'cms',
      caps: [],
    };
    return { ...rowOf(play, { kiosk, epoch: EPOCH, seq, rev: 0 }), ...more };
  });
}

/** Four segments of five plays each. */
function fourSegments(kiosk: KioskSegments): Segment[] {
  return [0, 1, 2, 3].map((place) =>
    kiosk.cut(rows(kiosk.kiosk, 1 + place * SEGMENT_ROWS, SEGMENT_ROWS), EPOCH + place * 1_000),
  );
}

/** Changes one line of a body. */
function changed(body: string, seq: number, kind: string, change: Record<string, unknown>): string {
  const lines = body.split('\n').map((line) => {
    if (line === '') return line;
    const row = JSON.parse(line);
    return row.seq === seq && row.kind === kind ? JSON.stringify({ ...row, ...change }) : line;
  });
  return lines.join('\n');
}

/** The lowest sequence number in the bodies, including their lists of missing numbers. */
function firstNumber(bodies: readonly string[]): number {
  return Math.min(...completeness(rowsIn(bodies)).map(({ firstSeq }) => firstSeq));
}

interface Case {
  readonly name: string;
  readonly expected: readonly string[];
  /** The bodies that a table holds. */
  readonly bodies: (own: Segment[], kiosk: KioskSegments) => string[];
}

const bodiesOf = (segments: readonly Segment[]) => segments.map(({ body }) => body);

const CASES: readonly Case[] = [
  { name: 'nothing wrong', expected: [], bodies: bodiesOf },
  {
    name: 'a tampered row, by its number and play',
    expected: ['row-changed 7-7'],
    bodies: (own) => bodiesOf(own).map((body) => changed(body, 7, 'play', { outcome: 'interrupted' })),
  },
  {
    name: 'a tampered row whose digest was made anew, by its segment',
    expected: ['rows-replaced 6-10'],
    bodies: ([first, second, ...rest], kiosk) => {
      // Another segment of the same numbers by the same kiosk: its rows are put under the second segment's manifest.
      const other = kiosk.cut(rows(kiosk.kiosk, 6, SEGMENT_ROWS, { outcome: 'interrupted' }), EPOCH);
      const forged = [
        ...other.body.trim().split('\n').slice(0, -1),
        JSON.stringify(second?.manifest),
        '',
      ].join('\n');
      return [first?.body ?? '', forged, ...bodiesOf(rest)];
    },
  },
  {
    name: 'a dropped row, by its number',
    expected: ['row-missing 7-7'],
    bodies: (own) =>
      bodiesOf(own).map((body) =>
        body
          .split('\n')
          .filter((line) => !line.includes('"id":"play-7"'))
          .join('\n'),
      ),
  },
  {
    name: 'a dropped segment, by its numbers',
    expected: ['segment-missing 6-10'],
    bodies: ([first, , third, fourth]) => bodiesOf([first, third, fourth] as Segment[]),
  },
  {
    name: 'a dropped first segment',
    expected: ['segment-missing 1-5'],
    bodies: ([, ...rest]) => bodiesOf(rest),
  },
  {
    name: 'a dropped manifest: rows that nothing covers',
    expected: ['rows-unsigned 6-10', 'segment-missing 6-10'],
    bodies: (own) =>
      bodiesOf(own).map((body, place) =>
        place === 1 ? `${body.trim().split('\n').slice(0, -1).join('\n')}\n` : body,
      ),
  },
  {
    name: 'a replayed segment, which is harmless',
    expected: ['segment-replayed 6-10'],
    bodies: (own) => [...bodiesOf(own), own[1]?.body ?? '', own[1]?.body ?? ''],
  },
  {
    name: 'a changed manifest',
    expected: ['segment-changed 6-10'],
    bodies: (own) =>
      bodiesOf(own).map((body) => changed(body, 10, 'segment', { madeAt: '2026-11-01T00:00:00.000Z' })),
  },
  {
    name: "a forged segment in an accepted kiosk's name",
    expected: ['forged-segment 6-10', 'chain-broken 6-10', 'chain-broken 11-15'],
    bodies: ([first, , ...rest], kiosk) => {
      const forged = kioskSegments(kiosk.kiosk).cut(rows(kiosk.kiosk, 6, SEGMENT_ROWS), EPOCH);
      return [first?.body ?? '', forged.body, ...bodiesOf(rest)];
    },
  },
];

describe('verification of a table', () => {
  for (const { name, bodies, expected } of CASES) {
    it(`finds ${name}`, () => {
      const kiosk = kioskSegments();
      const found = findingsIn(bodies(fourSegments(kiosk), kiosk), kiosk.publicKey);
      expect(inShort(found)).toEqual(expected);
    });
  }

  it('follows the chain across a set-aside segment, and across plays dropped unsent', () => {
    const kiosk = kioskSegments();
    const first = kiosk.cut(rows(kiosk.kiosk, 1, 5), EPOCH);
    const refused = kiosk.cut(rows(kiosk.kiosk, 6, 5), EPOCH);
    const { digest } = refused.manifest;
    const aside = [
      { first: 6, last: 10, digest },
      { first: 11, last: 12, digest: null },
    ];
    const next = kiosk.cut(rows(kiosk.kiosk, 13, 5), EPOCH, aside as never);
    expect(inShort(findingsIn([first.body, next.body], kiosk.publicKey))).toEqual([
      'set-aside 6-10',
      'dropped-by-kiosk 11-12',
    ]);
    // Once it was delivered later, only the dropped plays are reported.
    expect(inShort(findingsIn([first.body, refused.body, next.body], kiosk.publicKey))).toEqual([
      'dropped-by-kiosk 11-12',
    ]);
  });

  /** Segments of a kiosk: one was set aside when the next one was made, and delivered before the newest. */
  function deliveredLater() {
    const kiosk = kioskSegments();
    const first = kiosk.cut(rows(kiosk.kiosk, 1, 5), EPOCH);
    const refused = kiosk.cut(rows(kiosk.kiosk, 6, 5), EPOCH);
    const aside = [{ first: 6, last: 10, digest: refused.manifest.digest }];
    const next = kiosk.cut(rows(kiosk.kiosk, 11, 5), EPOCH, aside);
    const newest = kiosk.cut(rows(kiosk.kiosk, 16, 5), EPOCH);
    return { kiosk, first, refused, aside, next, newest };
  }

  it('finds a segment that was set aside and delivered later, and is not there', () => {
    const { kiosk, first, refused, next, newest } = deliveredLater();
    expect(inShort(findingsIn(bodiesOf([first, next, newest]), kiosk.publicKey))).toEqual([
      'segment-missing 6-10',
    ]);
    expect(inShort(findingsIn(bodiesOf([first, refused, next, newest]), kiosk.publicKey))).toEqual([]);
  });

  it('does not believe a newest manifest that another key signed', () => {
    const { kiosk, first, aside, next, newest } = deliveredLater();
    const forged = kioskSegments(kiosk.kiosk).cut(rows(kiosk.kiosk, 21, 5), EPOCH, aside);
    const found = inShort(findingsIn(bodiesOf([first, next, newest, forged]), kiosk.publicKey));
    expect(found).toEqual(['segment-missing 6-10', 'forged-segment 21-25', 'chain-broken 21-25']);
  });

  it('names exactly the missing rows and why, after losses, repeats, set-aside and dropped rows', () => {
    const numbers = (findings: readonly Finding[], ...codes: readonly string[]) =>
      findings
        .filter(({ code }) => codes.includes(code))
        .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
    fc.assert(
      fc.property(histories(false), (kiosks) => {
        const [epoch] = kiosks[0]?.epochs ?? [];
        const kiosk = kioskSegments();
        const bodies = epoch ? arrivingBodies(kiosk, { epochs: [epoch] }) : [];
        fc.pre(bodies.length > 0);
        const missing = missingNumbers(rowsIn(bodies));
        const expected = (reason: string) =>
          missing.filter((each) => each.reason === reason).map(({ seq }) => seq);
        const found = findingsIn(bodies, kiosk.publicKey);
        // A table alone does not know that the first segment is missing; fleet-verify knows that numbers begin at 1.
        const known = numbers(found, 'segment-missing').filter((seq) => seq >= firstNumber(bodies));
        expect(known).toEqual(expected('missing'));
        expect(numbers(found, 'set-aside')).toEqual(expected('set aside'));
        expect(numbers(found, 'dropped-by-kiosk')).toEqual(expected('dropped'));
        const told = ['segment-missing', 'set-aside', 'dropped-by-kiosk', 'segment-replayed'];
        expect(found.filter(({ code }) => !told.includes(code))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('ignores rows before a range', () => {
    const kiosk = kioskSegments();
    const [, ...rest] = fourSegments(kiosk);
    expect(findingsIn(bodiesOf(rest), kiosk.publicKey, false)).toEqual([]);
  });

  it('finds any change of any field of any row', () => {
    const kiosk = kioskSegments();
    const bodies = bodiesOf(fourSegments(kiosk));
    const fields = PLAY_FIELDS.filter((name) => !['kind', 'kiosk', 'epoch', 'seq', 'rev'].includes(name));
    const value = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.constantFrom(...fields), value, (seq, field, value) => {
        const place = Math.floor((seq - 1) / SEGMENT_ROWS);
        const line = (bodies[place] ?? '').split('\n')[(seq - 1) % SEGMENT_ROWS] ?? '{}';
        fc.pre(JSON.stringify(JSON.parse(line)[field]) !== JSON.stringify(value === 0 ? 0 : value));
        const table = bodies.map((body) => changed(body, seq, 'play', { [field]: value }));
        expect(inShort(findingsIn(table, kiosk.publicKey))).toContain(`row-changed ${seq}-${seq}`);
      }),
      { numRuns: 100, examples: [[1, 'beaconsFailed', 5e-324]] },
    );
  });
});

describe('the list of accepted kiosks that docs/fleet.md makes of what the broker has', () => {
  /** What the line of the document prints of these kiosks. */
  const listOf = (kiosks: readonly object[]): string => {
    const [, command = ''] = /^endcap fleet list --json \| (jq .*publicKey.*)$/m.exec(FLEET_DOCUMENT) ?? [];
    expect(command).not.toBe('');
    return execFileSync('sh', ['-c', command], { input: JSON.stringify(kiosks), encoding: 'utf8' });
  };
  const { publicKey, kiosk } = kioskSegments();
  const planted = kioskSegments().publicKey;

  it('names each key, its kiosk and its store', () => {
    const told = { kiosk, inventory: { publicKey }, state: { storeId: 'store-17' } };
    const others = [
      { ...told, inventory: null },
      { ...told, state: null },
    ];
    expect(listOf([told, ...others])).toBe(`${publicKey} ${kiosk} store-17\n${publicKey} ${kiosk} \n`);
  });

  it.each([
    ['store', { kiosk, inventory: { publicKey }, state: { storeId: `x\r\n${planted}\n${planted} y` } }, 1],
    ['key', { kiosk, inventory: { publicKey: `${publicKey}\n${planted}` }, state: null }, 0],
  ])('takes no second key from line feeds in the %s that a kiosk reports', (_what, told, keys) => {
    const accepted = readAcceptedKiosks(listOf([told]));
    const names = 'error' in accepted ? [] : [...accepted.kiosks.values()].map((each) => each.fingerprint);
    expect(names).toEqual(keys === 1 ? [kiosk] : []);
  });
});

describe.skipIf(process.platform !== 'linux')('fleet-verify with a real ClickHouse', () => {
  let engine: Engine;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'endcap-fleet-verify-'));
    engine = await startEngine();
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the command; the file names `accepted`. */
  async function verified(accepted: readonly KioskSegments[], more: readonly string[] = []) {
    const file = join(folder, 'kiosks.txt');
    const lines = accepted.map(({ publicKey }, index) => `${publicKey}  kiosk number ${index}`);
    writeFileSync(file, ['# accepted', '', ...lines, ''].join('\n'));
    const said: string[] = [];
    const output = { out: (line: string) => said.push(line), error: (line: string) => said.push(line) };
    const exitCode = await runVerify(['--kiosks', file, '--url', engine.url, ...more], output);
    return { exitCode, said: said.join('\n') };
  }

  it('names a tampered row, a dropped segment, a replayed segment and a forged kiosk', async () => {
    await engine.empty();
    const kiosks = [kioskSegments(), kioskSegments(), kioskSegments()] as const;
    const [tampered, dropped, replayed] = kiosks;
    const forged = kioskSegments();
    await deliver(engine.clickHouse, 'plays', [
      ...bodiesOf(fourSegments(tampered)).map((body) => changed(body, 7, 'play', { flightId: 'another' })),
      ...bodiesOf(fourSegments(dropped)).toSpliced(2, 1),
      ...bodiesOf(fourSegments(replayed)).flatMap((body, place) => (place === 3 ? [body, body] : [body])),
      ...bodiesOf(fourSegments(forged)),
    ]);
    const { exitCode, said } = await verified(kiosks);
    expect(exitCode).toBe(1);
    const errors = said.split('\n').filter((line) => line.startsWith('ERROR'));
    expect(errors).toHaveLength(3);
    expect(said).toContain(`row-changed: kiosk ${tampered.kiosk}, epoch ${EPOCH}, number 7: play play-7 `);
    expect(said).toContain(`segment-missing: kiosk ${dropped.kiosk}, epoch ${EPOCH}, numbers 11 to 15`);
    expect(said).toContain(`unknown-kiosk: kiosk ${forged.kiosk}, epoch ${EPOCH}, numbers 1 to 20`);
    expect(said).toContain(
      `note  segment-replayed: kiosk ${replayed.kiosk}, epoch ${EPOCH}, numbers 16 to 20`,
    );
    expect(said).toContain('4 kiosks');
  });

  it.each([
    ['time', 'play-7', 'SELECT `kind`, time + 2678400', 'play play-7'],
    ['atMs', 'play-7', 'SELECT `kind`, atMs + 1', 'play play-7'],
    ['time', '', 'SELECT `kind`, time + 2678400', 'its manifest'],
  ])('names a signed row that was inserted again with another `%s`', async (column, id, select, whose) => {
    await engine.empty();
    const kiosk = kioskSegments();
    await deliver(engine.clickHouse, 'plays', bodiesOf(fourSegments(kiosk)));
    const forger = clickHouseAt(`${engine.url}?insert_allow_materialized_columns=1`);
    const written = WRITTEN_COLUMNS.filter((name) => name !== 'kind').join(', ');
    await forger.run(
      `INSERT INTO plays (kind, ${column}, ${written}) ${select}, ${written} FROM plays WHERE id = '${id}' AND (kind = 'play' OR seq = 10)`,
    );
    const { exitCode, said } = await verified([kiosk]);
    expect(exitCode).toBe(1);
    const number = id === '' ? 10 : 7;
    expect(said).toContain(`row-misdated: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, number ${number}: ${whose} `);
  });

  it('checks whole segments of a range, and nothing outside', async () => {
    await engine.empty();
    const kiosk = kioskSegments();
    const [first, second, third, fourth] = bodiesOf(fourSegments(kiosk)) as [string, string, string, string];
    const late = changed(fourth, 20, 'play', { adId: 'another' });
    await deliver(engine.clickHouse, 'plays', [
      changed(first, 2, 'play', { adId: 'another' }),
      second,
      third,
      late,
    ]);
    // Plays 8 to 12, in the second and the third segment. Manifests have earlier times than their plays here.
    const range = ['--from', '2026-11-01T00:01:20Z', '--to', '2026-11-01T00:02:01Z'];
    const { exitCode, said } = await verified([kiosk], range);
    expect(said).toBe('1 kiosks, 2 segments, 10 plays checked: 0 errors, 0 notes');
    expect(exitCode).toBe(0);
  });

  describe('of a range', () => {
    // The plays of segment 1 are at 10 s to 50 s, those of segment 2 at 60 s to 100 s, and so on.
    const RANGE = ['--from', '2026-11-01T00:01:00Z', '--to', '2026-11-01T00:02:40Z'];
    const segment = (kiosk: KioskSegments, place: number, setAside: MissingRange[] = [], by = kiosk) =>
      by.cut(rows(kiosk.kiosk, 1 + (place - 1) * 5, 5), EPOCH + place * 50_000 + 5_000, setAside);

    it.each<[string, readonly number[], string]>([
      ['nothing where nothing is missing', [], '2 segments, 10 plays checked: 0 errors'],
      ['a dropped first segment', [2], 'segment-missing: kiosk KIOSK, epoch EPOCH, numbers 6 to 10'],
      ['a dropped last segment', [3], 'segment-missing: kiosk KIOSK, epoch EPOCH, numbers 11 to 15'],
      [
        'that all its segments were dropped',
        [2, 3],
        'segment-missing: kiosk KIOSK, epoch EPOCH, numbers 6 to 15',
      ],
    ])('finds %s', async (_what, dropped, expected) => {
      await engine.empty();
      const kiosk = kioskSegments();
      const made = [1, 2, 3, 4].map((place) => segment(kiosk, place));
      await deliver(engine.clickHouse, 'plays', bodiesOf(made.filter((_, at) => !dropped.includes(at + 1))));
      const { said } = await verified([kiosk], RANGE);
      expect(said).toContain(expected.replace('KIOSK', kiosk.kiosk).replace('EPOCH', String(EPOCH)));
      expect(said).toContain(`: ${dropped.length === 0 ? 0 : 1} errors, 0 notes`);
    });

    it.each([
      ['goes on in it', '2026-11-02'],
      ['has no other segment in it', '2026-11-01T00:01:00Z'],
    ])('finds a dropped first segment of an epoch that begins in it and %s', async (_what, to) => {
      await engine.empty();
      const kiosk = kioskSegments();
      const [, ...later] = [1, 2, 3].map((place) => segment(kiosk, place));
      await deliver(engine.clickHouse, 'plays', bodiesOf(later));
      const { said } = await verified([kiosk], ['--from', '2026-10-31', '--to', to]);
      expect(said).toContain(`segment-missing: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, numbers 1 to 5`);
      expect(said).toContain(': 1 errors, 0 notes');
    });

    it('misses nothing of an epoch that begins after it', async () => {
      await engine.empty();
      const kiosk = kioskSegments();
      const [, later] = [1, 2].map((place) => segment(kiosk, place));
      await deliver(engine.clickHouse, 'plays', bodiesOf(later ? [later] : []));
      const { said } = await verified([kiosk], ['--to', '2026-10-31']);
      expect(said).toContain('0 plays checked: 0 errors');
    });

    it('misses no segment that was made before it by a clock that was ahead', async () => {
      await engine.empty();
      const kiosk = kioskSegments();
      const ahead = rows(kiosk.kiosk, 1, 5, { at: '2026-11-09T00:00:00.000Z' });
      const made = [kiosk.cut(ahead, EPOCH + 8 * 86_400_000), segment(kiosk, 2)];
      await deliver(engine.clickHouse, 'plays', bodiesOf(made));
      const { said } = await verified([kiosk], ['--to', '2026-11-02']);
      expect(said).toContain('1 segments, 5 plays checked: 0 errors');
    });

    it('finds a forged revision behind it that takes a play out of it', async () => {
      await engine.empty();
      const kiosk = kioskSegments();
      const made = bodiesOf([1, 2, 3, 4].map((place) => segment(kiosk, place)));
      const moved = { id: 'play-8', rev: 1, at: '2026-12-01T00:00:00.000Z' };
      const [forged = ''] = kiosk.cut(rows(kiosk.kiosk, 21, 1, moved), EPOCH).body.split('\n');
      await deliver(engine.clickHouse, 'plays', [...made, `${forged}\n`]);
      const { said } = await verified([kiosk], RANGE);
      expect(said).toContain(`rows-unsigned: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, number 21`);
      expect(said).toContain(': 1 errors, 0 notes');
    });

    it('believes no manifest behind it that the kiosk has not signed', async () => {
      await engine.empty();
      const kiosk = kioskSegments();
      const first = segment(kiosk, 1);
      const { first: from, last, digest } = segment(kiosk, 2).manifest;
      const aside = [{ first: from, last, digest }];
      // Set aside, delivered later, and dropped from the table.
      const genuine = [first, segment(kiosk, 3, aside), segment(kiosk, 4)];
      const forged = segment(kiosk, 5, aside, kioskSegments(kiosk.kiosk));
      await deliver(engine.clickHouse, 'plays', bodiesOf([...genuine, forged]));
      const { said } = await verified([kiosk], RANGE);
      expect(said).toContain(`segment-missing: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, numbers 6 to 10`);
      expect(said).toContain(': 1 errors, 0 notes');
    });
  });

  it('reports the rows of a loaded export as unsigned, not as changed; a row without its digest as replaced', async () => {
    await engine.empty();
    const kiosk = kioskSegments();
    const withoutDigest = (line: string) => line.replace(/"digest":"[0-9a-f]{64}"/, '"digest":""');
    const [first = '', ...more] = bodiesOf(fourSegments(kiosk));
    const loaded = kiosk
      .cut(rows(kiosk.kiosk, 21, 3), EPOCH)
      .body.split('\n')
      .slice(0, 3)
      .map(withoutDigest);
    await deliver(engine.clickHouse, 'plays', [first, ...more, `${loaded.join('\n')}\n`]);
    const { said } = await verified([kiosk]);
    expect(said).toContain(`rows-unsigned: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, numbers 21 to 23`);
    expect(said).toContain(': 1 errors, 0 notes');

    await engine.empty();
    const [row = '', ...others] = first.split('\n');
    await deliver(engine.clickHouse, 'plays', [[withoutDigest(row), ...others].join('\n'), ...more]);
    const blanked = await verified([kiosk]);
    expect(blanked.said).toContain(`rows-replaced: kiosk ${kiosk.kiosk}, epoch ${EPOCH}, numbers 1 to 5`);
    expect(blanked.said).toContain(': 1 errors, 0 notes');
  });

  it('finds foreign rows whose epoch or number is too large for a number of JavaScript', async () => {
    await engine.empty();
    const kiosk = kioskSegments();
    const bodies = bodiesOf(fourSegments(kiosk));
    const [row = ''] = kiosk.cut(rows(kiosk.kiosk, 21, 1), EPOCH).body.split('\n');
    const tooLarge = '9007199254740993';
    const foreign = [
      row.replace(`"epoch":${EPOCH}`, `"epoch":${tooLarge}`),
      row.replace('"seq":21', `"seq":${tooLarge}`),
    ];
    await deliver(engine.clickHouse, 'plays', [...bodies, ...foreign.map((line) => `${line}\n`)]);
    const range = ['--from', '2026-11-01T00:00:00Z', '--to', '2026-11-02T00:00:00Z'];
    for (const more of [[], range]) {
      const { exitCode, said } = await verified([kiosk], more);
      expect(said.match(/rows-unsigned/g)).toHaveLength(2);
      expect(said).toContain('4 segments, 22 plays checked');
      expect(exitCode).toBe(1);
    }
  });

  it('loses no character and no digit in the table', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\u0000', '\u2028"\\\b\f\n\r\t/', "'", '\ufeff'),
    );
    // Whole numbers only: ClickHouse reads fractions inexactly, so kiosks round.
    const number = fc.oneof(fc.integer(), fc.maxSafeInteger());
    const nullable = fc.option(text);
    const change = fc.record({
      id: text,
      adId: text,
      mediaUrl: text,
      labels: text,
      environment: text,
      viewedMs: number,
      flightId: nullable,
      campaignId: nullable,
      zone: nullable,
      caps: nullable,
      scripts: nullable,
      signalAgeMs: fc.option(number),
      durationMs: fc.option(number),
      peopleCount: fc.option(fc.nat()),
    });
    await assertInTime(
      fc.array(change, { minLength: 1, maxLength: 20, size: 'max' }),
      async (changes) => {
        await engine.empty();
        const kiosk = kioskSegments();
        const { body } = kiosk.cut(
          changes.flatMap((more, index) => rows(kiosk.kiosk, index + 1, 1, more)),
          EPOCH,
        );
        expect(await engine.clickHouse.send('plays', gzipSync(body))).toBe(200);
        expect((await verified([kiosk])).said).toBe(
          `1 kiosks, 1 segments, ${changes.length} plays checked: 0 errors, 0 notes`,
        );
      },
      25,
    );
  });

  it('gets no row with a column that the table lacks, at the proof.url of docs/fleet.md', async () => {
    const page = readFileSync('docs/fleet.md', 'utf8');
    const [, query = ''] = /https:\/\/[\w.]+:8443\/(\?\S*?JSONEachRow)/.exec(page) ?? [];
    const kiosk = kioskSegments();
    const sent = async (more: Record<string, string>) => {
      const { body } = kiosk.cut(rows(kiosk.kiosk, 1, 1, more), EPOCH);
      const url = new URL(query.replace('endcap.', ''), engine.url);
      // The server closes idle connections: a statement of the next test could be on its way over one.
      return await fetch(url, { method: 'POST', body, headers: { Connection: 'close' } });
    };
    await engine.empty();
    expect((await sent({ ofTomorrow: 'x' })).ok).toBe(false);
    expect((await sent({})).ok).toBe(true);
  });

  it('refuses wrong usage and an unreadable list of kiosks', async () => {
    expect((await verified([], [])).exitCode).toBe(2);
    expect((await verified([kioskSegments()], ['--table', 'plays; DROP'])).exitCode).toBe(2);
    // The server would take it for a day in January.
    const guessed = await verified([kioskSegments()], ['--from', '11/01/2026']);
    expect(guessed.exitCode).toBe(2);
    expect(guessed.said).toContain('--from: expected an RFC 3339 time in whole seconds');
    // Nothing would be checked, and nothing found.
    const swapped = await verified([kioskSegments()], ['--from', '2026-12-01', '--to', '2026-11-01']);
    expect(swapped.exitCode).toBe(2);
    expect(swapped.said).toContain('expected --from before --to');
  });
});

it('goes on when nobody reads its output any more', async () => {
  const code = 'EPIPE';
  const pipe = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
  });
  const { out } = outputOf(pipe, new PassThrough());
  // Without a listener the error would end the process, and so this test.
  const isClosed = new Promise((resolve) => pipe.once('close', resolve));
  out('a line');
  await isClosed;
  out('another line');
});
