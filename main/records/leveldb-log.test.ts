import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { cutTornLogs } from './cut-torn-logs';
import { crc32c, wholeLength } from './leveldb-log';
import { writtenLog } from './testing/written-log';

const record = fc
  .tuple(fc.oneof(fc.nat(40), fc.integer({ min: 32_700, max: 32_800 }), fc.nat(80_000)), fc.nat(255))
  .map(([length, value]) => new Uint8Array(length).fill(value));

describe('the whole part of a database log', () => {
  it('uses CRC-32C', () => {
    // The check value of the algorithm's definition.
    expect(crc32c(Buffer.from('123456789'), 0, 9)).toBe(0xe3069283);
  });

  it('computes checksums of any range as the definition does, bit by bit', () => {
    const bitByBit = (bytes: Uint8Array) => {
      let crc = 0xffffffff;
      for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
      }
      return (crc ^ 0xffffffff) >>> 0;
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), fc.nat(100), (bytes, one, other) => {
        const from = Math.min(one, other, bytes.length);
        const to = Math.min(Math.max(one, other), bytes.length);
        expect(crc32c(bytes, from, to)).toBe(bitByBit(bytes.subarray(from, to)));
      }),
    );
  });

  it('ends with the last complete record, wherever the log breaks off', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (records, share) => {
          const { bytes, ends } = writtenLog(records);
          const cut = Math.floor(bytes.length * share);
          const expected = Math.max(0, ...ends.filter((end) => end <= cut));
          expect(wholeLength(bytes.subarray(0, cut))).toBe(expected);
        },
      ),
    );
  });

  it.each([
    ['zeros, as after a power cut', Buffer.alloc(4096)],
    ['noise', Buffer.from(Array.from({ length: 100 }, (_, index) => (index * 37 + 11) % 256))],
    ['the end of a record that never began', Buffer.from([0, 0, 0, 0, 0, 0, 4])],
  ])('does not include %s behind it', (_name, tail) => {
    const { bytes } = writtenLog([Buffer.from('one'), Buffer.alloc(40_000, 7)]);
    expect(wholeLength(Buffer.concat([bytes, tail]))).toBe(bytes.length);
    expect(wholeLength(bytes)).toBe(bytes.length);
  });

  it('ends before a record in which a bit has changed', () => {
    const { bytes, ends } = writtenLog([Buffer.from('one'), Buffer.from('two'), Buffer.from('three')]);
    bytes.writeUInt8(bytes.readUInt8((ends[0] ?? 0) + 8) ^ 1, (ends[0] ?? 0) + 8);
    expect(wholeLength(bytes)).toBe(ends[0]);
  });

  it('is kept on disk; other files do not change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endcap-logs-'));
    try {
      const database = join(folder, 'endcap_records_0.indexeddb.leveldb');
      await mkdir(database);
      const { bytes } = writtenLog([Buffer.from('one'), Buffer.from('two')]);
      const torn = Buffer.concat([bytes, Buffer.from('torn')]);
      for (const name of ['000003.log', 'MANIFEST-000001', '000005.ldb', 'CURRENT']) {
        await writeFile(join(database, name), torn);
      }
      await cutTornLogs(folder, silentLog);
      expect(await readFile(join(database, '000003.log'))).toEqual(bytes);
      expect(await readFile(join(database, 'MANIFEST-000001'))).toEqual(bytes);
      expect(await readFile(join(database, '000005.ldb'))).toEqual(torn);
      expect(await readFile(join(database, 'CURRENT'))).toEqual(torn);
      await cutTornLogs(join(folder, 'missing'), silentLog);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
