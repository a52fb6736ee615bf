import { Duplex } from 'node:stream';

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

/** The broker sent a packet that the client should not hold in memory. */
class TooLongPacket extends Error {
  readonly code = 'too-long-packet';
}

/** Wraps a stream so that it is destroyed with a `TooLongPacket` error before the body of such a packet is read. */
export function guarded(inner: Duplex, maxBytes = MAX_PACKET_BYTES): Duplex {
  const accept = followPackets(maxBytes);
  const outer = new Duplex({
    read: () => void inner.resume(),
    write: (chunk, encoding, done) => void inner.write(chunk, encoding, done),
    final: (done) => void inner.end(done),
    destroy(error, done) {
      inner.destroy();
      done(error);
    },
  });
  inner.on('data', (chunk: Uint8Array) => {
    if (!accept(chunk)) outer.destroy(new TooLongPacket('the broker sent a packet that is too long'));
    else if (!outer.push(chunk)) inner.pause();
  });
  inner.on('end', () => outer.push(null));
  inner.on('error', (error) => outer.destroy(error));
  inner.on('close', () => outer.destroy());
  return outer;
}
