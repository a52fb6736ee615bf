import type { Duplex } from 'node:stream';

/** Longest packet that a broker may send, bytes. Longer than any document, so that a too long one gets an answer. */
export const MAX_PACKET_BYTES = 2 * 1024 * 1024;

/** Of a PUBLISH with QoS 2: its bits in the first byte of a fixed header, and their values (MQTT 5, 3.3.1). */
const QOS_2 = { bits: 0xf6, values: 0x34 };

/**
 * Follows the packets of an MQTT stream by their fixed headers (MQTT 5, 2.1). Returns what is wrong with one, null:
 * nothing so far. `too-long`: a header announces more than `maxBytes`, or its length is invalid: the client would hold
 * the whole packet in memory. `qos-2`: a message of QoS 2, which the kiosk subscribes to nowhere: the client would hold
 * up to 65,535 of them, because their receipt takes a second packet of the broker.
 */
export function followPackets(maxBytes: number): (chunk: Uint8Array) => keyof typeof ERRORS | null {
  /** Bytes of the current packet that have not come yet. */
  let left = 0;
  /** Length bytes read of the current fixed header; −1: outside a header. */
  let lengthBytes = -1;
  let length = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (lengthBytes < 0) {
        if ((byte & QOS_2.bits) === QOS_2.values) return 'qos-2';
        lengthBytes = 0;
        length = 0;
        continue;
      }
      length += (byte & 0x7f) * 0x80 ** lengthBytes;
      lengthBytes += 1;
      if (length > maxBytes || (lengthBytes === 4 && byte >= 0x80)) return 'too-long';
      if (byte >= 0x80) continue;
      left = length;
      lengthBytes = -1;
    }
    return null;
  };
}

const ERRORS = {
  'too-long': { code: 'too-long-packet', message: 'the broker sent a packet that is too long' },
  'qos-2': { code: 'qos-2', message: 'the broker sent a message of QoS 2; the kiosk subscribes with QoS 1' },
};

/** The codes of such errors. The broker sends the packet again in the same session. */
export const GUARD_CODES: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ code }) => code));

/** The stream, which is destroyed with an error of this code before the body of such a packet is read. */
export function guarded(stream: Duplex): Duplex {
  const follow = followPackets(MAX_PACKET_BYTES);
  return stream.on('data', (chunk: Uint8Array) => {
    const wrong = follow(chunk);
    if (wrong === null) return;
    const { code, message } = ERRORS[wrong];
    stream.destroy(Object.assign(new Error(message), { code }));
  });
}
