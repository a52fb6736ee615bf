import type { Duplex } from 'node:stream';

/** Longest packet that a broker may send, bytes. Longer than any document, so that a too long one gets an answer. */
export const MAX_PACKET_BYTES = 2 * 1024 * 1024;

/**
 * Follows the packets of an MQTT stream by their fixed headers (MQTT 5, 2.1). Returns false once a header announces
 * more than `maxBytes`, or its length is invalid: the client would hold the whole packet in memory.
 */
export function followPackets(maxBytes: number): (chunk: Uint8Array) => boolean {
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
        lengthBytes = 0;
        length = 0;
        continue;
      }
      length += (byte & 0x7f) * 0x80 ** lengthBytes;
      lengthBytes += 1;
      if (length > maxBytes || (lengthBytes === 4 && byte >= 0x80)) return false;
      if (byte >= 0x80) continue;
      left = length;
      lengthBytes = -1;
    }
    return true;
  };
}

/** The stream, which is destroyed with the code `too-long-packet` before the body of such a packet is read. */
export function guarded(stream: Duplex): Duplex {
  const accept = followPackets(MAX_PACKET_BYTES);
  return stream.on('data', (chunk: Uint8Array) => {
    if (accept(chunk)) return;
    const error = new Error('the broker sent a packet that is too long');
    stream.destroy(Object.assign(error, { code: 'too-long-packet' }));
  });
}
