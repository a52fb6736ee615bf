import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followPackets } from './packet-guard';

/** The fixed header of a packet with `length` bytes after it, and those bytes (MQTT 5, 1.5.5). */
function packet(length: number): number[] {
  const header = [0x30];
  let left = length;
  do {
    header.push((left % 128) | (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return [...header, ...new Array<number>(length).fill(0xff)];
}

test('takes all packets up to the limit, however they are cut, and none above', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 400 }),
      (lengths, cuts, limit) => {
        const bytes = Uint8Array.from(lengths.flatMap(packet));
        const follow = followPackets(limit);
        let isAccepted = true;
        for (let at = 0, turn = 0; at < bytes.length && isAccepted; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          isAccepted = follow(bytes.subarray(at, at + size)) === null;
          at += size;
        }
        expect(isAccepted).toBe(lengths.every((length) => length <= limit));
      },
    ),
  );
});

test('a length that never ends is refused', () => {
  expect(followPackets(1_000_000_000)(Uint8Array.from([0x30, 0x80, 0x80, 0x80, 0x80]))).toBe('too-long');
});

test.each([0x34, 0x35, 0x3c, 0x3d])('a message of QoS 2 is refused (%i)', (header) => {
  expect(followPackets(100)(Uint8Array.from([0x30, 1, 0, header]))).toBe('qos-2');
});

test.each([0x30, 0x33, 0x3b, 0x44, 0x62, 0xd0])('other packets are not (%i)', (header) => {
  expect(followPackets(100)(Uint8Array.from([header, 2, 0x34, 0x34, 0x30]))).toBeNull();
});
