import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Reached, type ReachOptions, reach } from './reach';
import { SendError } from './send-error';

const MAX_TOLD = 200;

export type CheckedConnections = ReturnType<typeof checkedConnections>;

/**
 * The connections of an egress proxy: each leads to an address that was checked.
 *
 * @param parts.idleMs longest silence on a connection, ms
 * @param parts.onRefused called with each refused host, once, for the first 200
 */
export function checkedConnections(
  parts: ReachOptions & {
    readonly idleMs: number;
    readonly onRefused: (hostname: string, reason: string) => void;
  },
) {
  const open = new Set<Duplex>();
  /** Hosts that were reported: a page that tries again and again does not fill the log. */
  const told = new Set<string>();

  /** Registers a connection for `destroyAll`, and destroys it after `idleMs` of silence. */
  function keep(stream: Socket): void {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    stream.setTimeout(parts.idleMs, () => stream.destroy());
  }

  return {
    keep,
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
        const reached = await reach(url, use, parts, gone.signal);
        keep(reached.socket);
        return reached;
      } catch (error) {
        if (!(error instanceof SendError) || error.code !== 'fenced') return { status: 502 };
        if (told.size < MAX_TOLD && !told.has(url.hostname)) {
          told.add(url.hostname);
          parts.onRefused(url.hostname, error.message);
        }
        return { status: 403 };
      } finally {
        client.off('close', abort);
      }
    },
    destroyAll(): void {
      for (const stream of open) stream.destroy();
    },
  };
}
