import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Bytes passed to the HTTP parser at once: a signal, or a few dozen short requests. */
const PORTION_BYTES = 4096;

/**
 * A socket that passes received data on in portions, and can stop reading. The HTTP parser parses everything it gets
 * at once, and a read of 64 KiB may contain several hundred pipelined requests. With portions, parsing stops soon
 * after the first error.
 */
export class Connection extends Duplex {
  /** One of its requests carried the token. */
  trusted = false;
  /** Number of its requests without a finished answer. */
  pending = 0;
  /** Its last answer is on the way; later requests are ignored. */
  closing = false;
  readonly #socket: Socket;
  #wanted = false;
  #stopped = false;

  constructor(socket: Socket) {
    super({ readableHighWaterMark: PORTION_BYTES });
    this.#socket = socket;
    socket.on('readable', () => this.#pass());
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Reads nothing more; what is being sent still goes out. */
  stopReading(): void {
    this.#stopped = true;
  }

  /** Emits `timeout` after `ms` without traffic (0: never); the HTTP server requires this method. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }

  override _read(): void {
    this.#wanted = true;
    this.#pass();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #pass(): void {
    while (this.#wanted && !this.#stopped) {
      const size = Math.min(PORTION_BYTES, this.#socket.readableLength);
      // read() without a size makes the stream fetch more from the system.
      const portion: Buffer | null = size === 0 ? this.#socket.read() : this.#socket.read(size);
      if (portion === null) return;
      this.#wanted = false;
      this.push(portion);
    }
  }
}

/**
 * The connection to drop so that the newest fits in, or null where every other one
 * is busy (then the newest goes). Oldest first, and connections without the token
 * before those with it: a thousand strangers push out each other, not the sensor.
 */
export function connectionToDrop(connections: Iterable<Connection>, newest: Connection): Connection | null {
  const others = [...connections].filter((connection) => connection !== newest);
  return others.find(({ trusted }) => !trusted) ?? others.find(({ pending }) => pending === 0) ?? null;
}
