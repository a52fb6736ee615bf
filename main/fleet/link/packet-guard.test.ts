import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { followPackets, guarded } from './packet-guard';

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
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30, size: 'max' }),
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

/** A message of version 5 with properties and a payload of so many bytes. `header`: QoS 0 or 1. */
function messageWith(header: number, properties: number, payload: number): number[] {
  const [, ...counted] = packet(properties);
  const id = header === 0x32 ? [0, 1] : [];
  const rest = [0, 1, 0x61, ...id, ...counted, ...new Array<number>(payload).fill(0xff)];
  return [header, ...packet(rest.length).slice(1, -rest.length), ...rest];
}

test.each([0x30, 0x32])(
  'long properties of a message are refused, and no long payload, however they are cut (%i)',
  (header) => {
    for (const size of [1, 3, 10_000]) {
      const follow = followPackets(1_000_000, 5);
      const results = new Set<string | null>();
      const take = (bytes: readonly number[]) => {
        for (let at = 0; at < bytes.length; at += size)
          results.add(follow(Uint8Array.from(bytes.slice(at, at + size))));
      };
      take(messageWith(header, 0, 9_000));
      take(messageWith(header, 4_096, 9_000));
      expect([...results]).toEqual([null]);
      take(messageWith(header, 4_097, 0).slice(0, 10));
      expect(results).toContain('too-long');
    }
  },
);

test('properties that are longer than their message are refused', () => {
  expect(followPackets(100, 5)(Uint8Array.from([0x30, 4, 0, 1, 0x61, 9]))).toBe('too-long');
});

test.each([
  [0x20, 4_096],
  [0x40, 4_096],
  [0x90, 256],
  [0xb0, 4_096],
  [0xe0, 4_096],
])('other packets than messages are short (%i)', (header, most) => {
  const follow = followPackets(1_000_000);
  expect(follow(Uint8Array.from([header, ...packet(most).slice(1)]))).toBeNull();
  expect(follow(Uint8Array.from([header, ...packet(most + 1).slice(1, 3)]))).toBe('too-long');
});

test('a million bytes of short packets come with turns of main between them', async () => {
  const stream = new PassThrough({ highWaterMark: 2_000_000 });
  let got = 0;
  const client = new Writable({
    write(chunk, _encoding, done) {
      got += chunk.length;
      done();
    },
  });
  guarded(stream, 5).pipe(client);
  stream.write(Buffer.alloc(1_000_000));
  let [last, most] = [0, 0];
  do {
    await turn();
    most = Math.max(most, got - last);
    last = got;
  } while (got < 1_000_000);
  expect(most).toBeLessThanOrEqual(3 * 2_048);
});
