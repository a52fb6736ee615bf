import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A socket that hands on what it receives in portions of at most so many
 * bytes, and stops when told. The HTTP parser works through all it is given
 * at once: 64 KiB of pipelined requests, the size of a read from the system,
 * are several hundred, each of them an object to make before anybody can say
 * no. In portions the first refusal ends it.
 */
export class PortionedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #portionBytes: number;
  #wanted = false;
  #stopped = false;

  constructor(socket: Socket, portionBytes: number) {
    super({ readableHighWaterMark: portionBytes });
    this.#socket = socket;
    this.#portionBytes = portionBytes;
    socket.on('readable', () => this.#pass());
    socket.on('end', () => this.push(null));
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Takes in nothing more; what is being sent still goes out. */
  stopReading(): void {
    this.#stopped = true;
  }

  /** Emits `timeout` after `ms` without traffic, 0 never; what HTTP asks of a socket. */
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
      const size = Math.min(this.#portionBytes, this.#socket.readableLength);
      // read() of nothing at all asks the system for more.
      const portion: Buffer | null = size === 0 ? this.#socket.read() : this.#socket.read(size);
      if (portion === null) return;
      this.#wanted = false;
      this.push(portion);
    }
  }
}
