import { type Duplex, Transform } from 'node:stream';
import type { MqttVersion } from './link-attempts';

/** Longest message that a broker may send, bytes. Longer than any document, so that a too long one gets an answer. */
export const MAX_PACKET_BYTES = 2 * 1024 * 1024;
/** Longest other packet, and longest properties of a message, bytes. The client reads them byte by byte: 2 MB for seconds. */
const MAX_READ_BYTES = 4096;
/** Longest SUBACK, bytes; it is for one topic. The client makes an error of each byte: of 2 MB for minutes. */
const MAX_SUBACK_BYTES = 256;
/** The client gets so many bytes at once, and main a turn after them: of the shortest packets they are a thousand. */
const PIECE_BYTES = 2048;

/** Of a PUBLISH with QoS 2: its bits in the first byte of a fixed header, and their values (MQTT 5, 3.3.1). */
const QOS_2 = { bits: 0xf6, values: 0x34 };
/** Types of packets (MQTT 5, 2.1.2). */
const [PUBLISH, SUBACK] = [3, 9];

/**
 * Follows the packets of an MQTT stream by their headers (MQTT 5, 2.1 and 3.3.2). Returns what is wrong with one, null:
 * nothing so far. `too-long`: a header announces more than `maxBytes`, or than can be read in time, or its length is
 * invalid: the client would hold the whole packet in memory. `qos-2`: a message of QoS 2, which the kiosk subscribes to
 * nowhere: the client would hold up to 65,535 of them, because their receipt takes a second packet of the broker.
 *
 * @param version messages of version 5 have properties
 */
export function followPackets(
  maxBytes: number,
  version: MqttVersion = 4,
): (chunk: Uint8Array) => keyof typeof ERRORS | null {
  const headers = readHeaders(maxBytes, version);
  headers.next();
  /** Bytes that are passed over before the next one is read. */
  let left = 0;
  return (chunk) => {
    let at = 0;
    while (at + left < chunk.length) {
      at += left;
      const { done, value } = headers.next(chunk[at] ?? 0);
      if (done) return value;
      left = value;
      at += 1;
    }
    left -= chunk.length - at;
    return null;
  };
}

/** Takes bytes of headers; yields how many bytes are passed over before the next one. */
function* readHeaders(
  maxBytes: number,
  version: MqttVersion,
): Generator<number, keyof typeof ERRORS, number> {
  for (let rest = 0; ; ) {
    const first = yield rest;
    if ((first & QOS_2.bits) === QOS_2.values) return 'qos-2';
    const type = first >> 4;
    const isMessage = type === PUBLISH;
    const most = isMessage ? maxBytes : type === SUBACK ? MAX_SUBACK_BYTES : MAX_READ_BYTES;
    const packet = yield* readLength();
    if (packet.length > Math.min(most, maxBytes)) return 'too-long';
    rest = packet.length;
    if (!isMessage || version === 4) continue;
    const topicBytes = (yield 0) * 0x100 + (yield 0);
    // With QoS 1 its packet identifier follows.
    const properties = yield* readLength(topicBytes + ((first & 0x06) === 0 ? 0 : 2));
    rest -= 2 + properties.passed;
    if (properties.length > Math.min(rest, MAX_READ_BYTES)) return 'too-long';
  }
}

/** A length of seven bits per byte, lowest first, behind `before` bytes (MQTT 5, 1.5.5). `passed`: all of these bytes. */
function* readLength(before = 0): Generator<number, { length: number; passed: number }, number> {
  let length = 0;
  for (let bytes = 0; bytes < 4; bytes += 1) {
    const byte = yield bytes === 0 ? before : 0;
    length += (byte & 0x7f) * 0x80 ** bytes;
    if (byte < 0x80) return { length, passed: before + bytes + 1 };
  }
  return { length: Number.POSITIVE_INFINITY, passed: 0 };
}

const ERRORS = {
  'too-long': { code: 'too-long-packet', message: 'the broker sent a packet that is too long' },
  'qos-2': { code: 'qos-2', message: 'the broker sent a message of QoS 2; the kiosk subscribes with QoS 1' },
};

/** The codes of such errors. The broker sends the packet again in the same session. */
export const GUARD_CODES: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ code }) => code));

/**
 * The stream, which is destroyed with an error of this code before the client reads any of such a packet. What it may
 * read blocks main for milliseconds, however the broker cuts it (rule 31).
 */
export function guarded(stream: Duplex, version: MqttVersion): Duplex {
  const follow = followPackets(MAX_PACKET_BYTES, version);
  const guard = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const passOn = (at: number): void => {
        if (at >= chunk.length) {
          done();
          return;
        }
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        const wrong = follow(piece);
        if (wrong !== null) {
          const { code, message } = ERRORS[wrong];
          stream.destroy(Object.assign(new Error(message), { code }));
          return;
        }
        guard.push(piece);
        setImmediate(passOn, at + PIECE_BYTES);
      };
      passOn(0);
    },
  });
  const pipe = stream.pipe.bind(stream);
  // The client reads by one pipe. A listener beside it could not keep the packet from it.
  stream.pipe = (client) => pipe(guard).pipe(client);
  return stream;
}
