import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Reached, type ReachOptions, reach } from './reach';
import { SendError } from './send-error';

const MAX_TOLD = 200;

export interface CheckedConnectionsParts extends ReachOptions {
  /** Longest silence on a connection, ms. */
  readonly idleMs: number;
  /** Called with each refused host, once, for the first 200. */
  readonly onRefused: (hostname: string, reason: string) => void;
}

/** The connections of an egress proxy: each leads to an address that was checked. */
export class CheckedConnections {
  readonly #parts: CheckedConnectionsParts;
  readonly #open = new Set<Duplex>();
  /** Hosts that were reported: a page that tries again and again does not fill the log. */
  readonly #told = new Set<string>();

  constructor(parts: CheckedConnectionsParts) {
    this.#parts = parts;
  }

  /** A connection to a checked address, or the HTTP status for the error. Never rejects. */
  async reach(
    url: URL | null,
    client: Duplex,
    use: 'tunnel' | 'request',
  ): Promise<Reached | { readonly status: 400 | 403 | 502 }> {
    if (url === null) return { status: 400 };
    const gone = new AbortController();
    const abort = () => gone.abort();
    client.once('close', abort);
    try {
      const reached = await reach(url, use, this.#parts, gone.signal);
      this.keep(reached.socket);
      return reached;
    } catch (error) {
      if (!(error instanceof SendError) || error.code !== 'fenced') return { status: 502 };
      this.#tell(url.hostname, error.message);
      return { status: 403 };
    } finally {
      client.off('close', abort);
    }
  }

  /** Registers a connection for `destroyAll`, and destroys it after `idleMs` of silence. */
  keep(stream: Socket): void {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    stream.setTimeout(this.#parts.idleMs, () => stream.destroy());
  }

  destroyAll(): void {
    for (const stream of this.#open) stream.destroy();
  }

  #tell(hostname: string, reason: string): void {
    if (this.#told.size >= MAX_TOLD || this.#told.has(hostname)) return;
    this.#told.add(hostname);
    this.#parts.onRefused(hostname, reason);
  }
}
