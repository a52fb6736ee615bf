import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Schedule } from '../schedule';
import type { Fence, FencePurpose, HttpProxy } from './fence';
import { type OpenConnection, rejectOnAbort } from './open-connection';
import { openToProxy } from './through-proxy';

const MAX_TOLD = 200;

export type Reached =
  | {
      readonly ok: true;
      readonly socket: Socket;
      readonly url: URL;
      /** The proxy that the connection leads to and that forwards requests; null: it leads to the host. */
      readonly forwarding: HttpProxy | null;
    }
  | { readonly ok: false; readonly status: 400 | 403 | 502 };

export interface FencedConnectionsParts {
  readonly fence: Fence;
  readonly purpose: FencePurpose;
  readonly openConnection: OpenConnection;
  /** Longest time for name and connection, ms. */
  readonly connectMs: number;
  /** Longest silence on a connection, ms. */
  readonly idleMs: number;
  readonly schedule: Schedule;
  /** Hears of each host that is kept out, once; of the first 200. */
  readonly onFenced: (hostname: string, reason: string) => void;
}

/** The connections of a fence proxy: each leads to an address that was checked. */
export class FencedConnections {
  readonly #parts: FencedConnectionsParts;
  readonly #open = new Set<Duplex>();
  /** Hosts whose refusal was told: a page that tries again and again does not fill the log. */
  readonly #told = new Set<string>();

  constructor(parts: FencedConnectionsParts) {
    this.#parts = parts;
  }

  /** A connection to a checked address, or the status that says why there is none. */
  async reach(url: URL | null, client: Duplex, use: 'tunnel' | 'forward'): Promise<Reached> {
    const { fence, purpose, openConnection, connectMs, schedule } = this.#parts;
    if (url === null) return { ok: false, status: 400 };
    const giveUp = new AbortController();
    const cancelDeadline = schedule(connectMs, () => giveUp.abort());
    const gone = () => giveUp.abort();
    client.once('close', gone);
    try {
      const target = await Promise.race([fence.resolve(url, purpose), rejectOnAbort(giveUp.signal)]);
      if (!target.ok) {
        if (target.code === 'fenced') this.#tell(url.hostname, target.message);
        return { ok: false, status: target.code === 'fenced' ? 403 : 502 };
      }
      const forwarding = (use === 'forward' && target.proxy) || null;
      const socket = forwarding
        ? await openToProxy(openConnection, forwarding, giveUp.signal)
        : await openConnection(target, false, giveUp.signal);
      this.keep(socket);
      return { ok: true, socket, url, forwarding };
    } catch {
      return { ok: false, status: 502 };
    } finally {
      cancelDeadline();
      client.off('close', gone);
    }
  }

  /** Counts a connection among those to close, and ends it when it falls silent. */
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
    this.#parts.onFenced(hostname, reason);
  }
}
