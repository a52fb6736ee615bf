import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Schedule } from '../schedule';
import { rejectOnAbort, startDeadline } from '../service/deadline';
import type { HttpProxy, OpenConnection } from './checked-target';
import type { EgressPolicy, EgressPurpose } from './egress-policy';
import { openToProxy } from './through-proxy';

const MAX_TOLD = 200;

export type ConnectResult =
  | {
      readonly ok: true;
      readonly socket: Socket;
      readonly url: URL;
      /**
       * The proxy at the other end of the connection, which forwards requests; null: the other end is the
       * host.
       */
      readonly forwarding: HttpProxy | null;
    }
  | { readonly ok: false; readonly status: 400 | 403 | 502 };

export interface CheckedConnectionsParts {
  readonly egressPolicy: EgressPolicy;
  readonly purpose: EgressPurpose;
  readonly openConnection: OpenConnection;
  /** Longest time for look-up and connection together, ms. */
  readonly connectMs: number;
  /** Longest silence on a connection, ms. */
  readonly idleMs: number;
  readonly schedule: Schedule;
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
  async reach(url: URL | null, client: Duplex, use: 'tunnel' | 'forward'): Promise<ConnectResult> {
    const { egressPolicy, purpose, openConnection, connectMs, schedule } = this.#parts;
    if (url === null) return { ok: false, status: 400 };
    const { signal, abort, release } = startDeadline(connectMs, schedule);
    const gone = () => abort();
    client.once('close', gone);
    try {
      const target = await Promise.race([egressPolicy.resolve(url, purpose), rejectOnAbort(signal)]);
      if (!target.ok) {
        if (target.code === 'fenced') this.#tell(url.hostname, target.message);
        return { ok: false, status: target.code === 'fenced' ? 403 : 502 };
      }
      const forwarding = (use === 'forward' && target.proxy) || null;
      const socket = forwarding
        ? await openToProxy(openConnection, forwarding, signal)
        : await openConnection(target, false, signal);
      this.keep(socket);
      return { ok: true, socket, url, forwarding };
    } catch {
      return { ok: false, status: 502 };
    } finally {
      release();
      client.off('close', gone);
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
