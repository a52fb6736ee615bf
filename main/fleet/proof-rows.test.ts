import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Play, PlayOutcome } from '../../shared/play';
import { ProofRow, type RowOrigin } from '../../shared/proof-row';
import type { SequenceEntry } from '../../shared/proof-sequence';
import { provenPlay } from '../records/testing/proven-plays';
import { proofRow } from './proof-rows';
import { withDigest } from './segment';

const origin: RowOrigin = {
  kiosk: '0123456789abcdef',
  playerId: 'player-1',
  store: { storeId: 'store 7', zone: null, screenId: 'left', labels: { region: 'north', aisle: '4' } },
};
const entry = (play: Partial<Play> = {}): SequenceEntry => ({
  ...provenPlay('play-1', play),
  epoch: 1_700_000_000_000,
  seq: 3,
  rev: 1,
});
const columns = Object.keys(ProofRow.shape);
const digest = 'a'.repeat(64);

it('a row has every column, in the order of the contract, and matches the schema', () => {
  for (const row of [proofRow(entry(), origin), proofRow({ ...entry(), beacons: null }, origin)]) {
    expect([...Object.keys(row), 'digest']).toEqual(columns);
    expect(ProofRow.parse({ ...row, digest })).toEqual({ ...row, digest });
  }
});

it.each([...columns, ...PlayOutcome.options])('docs/proof-of-play.md says what `%s` means', (word) => {
  const [rows = ''] = readFileSync('docs/proof-of-play.md', 'utf8').split('A row of kind `segment`');
  expect(rows).toContain(`\`${word}\``);
});

it('a row says what was shown, why it might play and where', () => {
  const row = proofRow(
    entry({
      creative: {
        sha256: 'b'.repeat(64),
        mediaType: 'video/mp4',
        universalAdId: { registry: 'ad-id.org', value: 'CNPA0484000H' },
        adServingId: 'serving-1',
        creativeId: 'creative-1',
      },
      decision: {
        allowedBy: 'matched-group',
        matchedGroup: 1,
        peopleCount: 2,
        signalAgeMs: 350,
        caps: [
          { window: 'DAY', limit: 5 },
          { window: 'HOUR', limit: 0 },
        ],
      },
    }),
    origin,
  );
  expect(row).toMatchObject({
    kind: 'play',
    kiosk: origin.kiosk,
    epoch: 1_700_000_000_000,
    seq: 3,
    rev: 1,
    id: 'play-1',
    playerId: 'player-1',
    storeId: 'store 7',
    zone: null,
    screenId: 'left',
    labels: '{"aisle":"4","region":"north"}',
    mediaSha256: 'b'.repeat(64),
    mediaType: 'video/mp4',
    creativeId: 'creative-1',
    universalAdIdRegistry: 'ad-id.org',
    universalAdId: 'CNPA0484000H',
    adServingId: 'serving-1',
    allowedBy: 'matched-group',
    matchedGroup: 1,
    peopleCount: 2,
    signalAgeMs: 350,
    caps: '[{"window":"DAY","limit":5},{"window":"HOUR","limit":0}]',
  });
});

/** RFC 8785 for an object of scalars: members in the order of the UTF-16 code units of their names. */
function rfc8785(members: ReadonlyArray<readonly [string, unknown]>): string {
  const utf16 = (name: string) => Buffer.from(name, 'utf16le').swap16();
  const sorted = [...members].sort(([one], [other]) => Buffer.compare(utf16(one), utf16(other)));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

it('labels and digest are canonical JSON (RFC 8785), even if names of labels are numbers', () => {
  const names = fc.oneof(
    fc.constantFrom('9', '10', '100', '1', 'a', '-1', '01', '4294967295'),
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,6}$/).filter((name) => name !== '__proto__'),
  );
  fc.assert(
    fc.property(fc.dictionary(names, fc.string({ unit: 'grapheme' })), (labels) => {
      const row = withDigest(proofRow(entry(), { ...origin, store: { ...origin.store, labels } }));
      expect(row.labels).toBe(rfc8785(Object.entries(labels)));
      const { digest, ...rest } = row;
      expect(digest).toBe(
        createHash('sha256')
          .update(rfc8785(Object.entries(rest)))
          .digest('hex'),
      );
    }),
    { examples: [[{ '9': 'nine', '10': 'ten', aisle: '4' }]] },
  );
});

it('a label with invalid Unicode blocks no row', () => {
  const store = { ...origin.store, labels: { aisle: 'a\ud800b' } };
  expect(proofRow(entry(), { ...origin, store }).labels).toBe('{"aisle":"a\ufffdb"}');
});

it('a play stored by an older version has null for unknown fields', () => {
  const row = proofRow(entry(), origin);
  const unknown = [
    row.mediaSha256,
    row.universalAdId,
    row.adServingId,
    row.allowedBy,
    row.peopleCount,
    row.caps,
  ];
  expect(unknown).toEqual(unknown.map(() => null));
});

it('a row of a native ad has the ids of its answer', () => {
  const native = { assetGroupId: 'group', creativeId: 'native-1', bundleId: 'bundle', revenueModel: 'CPM' };
  const row = proofRow(entry({ delivery: 'native', native }), origin);
  expect(row).toMatchObject(native);
});

it('numbers are whole, so that the digest matches when read back from a table', () => {
  expect(withDigest(proofRow(entry({ durationMs: 7_966.6, viewedMs: 0.4 }), origin))).toMatchObject({
    durationMs: 7_967,
    viewedMs: 0,
  });
});

it('invalid Unicode is replaced, because the digest needs valid text', () => {
  expect(withDigest(proofRow(entry({ adId: 'a\ud800b' }), origin)).adId).toBe('a\ufffdb');
});
