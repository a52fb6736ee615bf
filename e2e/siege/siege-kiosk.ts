import { join } from 'node:path';
import { askKiosk } from '../ask-kiosk';
import { type SpawnedKiosk, spawnKiosk } from '../spawned-kiosk';

const ENDS_WITHIN_MS = 15_000;
/** Delay before a restart, ms: a kiosk that ends at once must not keep this machine busy. */
const RESTART_MS = 200;

export type SiegeKiosk = ReturnType<typeof startSiegeKiosk>;

/** A kiosk under a service manager, which restarts it whenever it ends. Observed only from outside. */
export function startSiegeKiosk(dataDir: string, settings: object) {
  /** The output of those that have ended. */
  let before = '';
  let ends: string[] = [];
  let stopping = false;
  let kiosk = start();

  function start(): SpawnedKiosk {
    // With NOTIFY_SOCKET set, the kiosk leaves restarts to the service manager; nothing has to listen there.
    const started = spawnKiosk(dataDir, settings, { env: { NOTIFY_SOCKET: join(dataDir, 'no-socket') } });
    void started.ended.then((end) => {
      if (stopping) return;
      ends.push(`the kiosk ended by itself (${typeof end === 'number' ? `exit code ${end}` : end})`);
      before = started.output();
      setTimeout(() => {
        if (!stopping) kiosk = start();
      }, RESTART_MS);
    });
    return started;
  }

  return {
    dataDir,
    /** Process id of the current main process. */
    pid: () => kiosk.pid,
    /** One sentence for each unexpected end that was not returned before. */
    takeEnds(): string[] {
      const found = ends;
      ends = [];
      return found;
    },
    /** `GET` of its local API; rejects after `withinMs`. */
    get: (path: string, withinMs: number): Promise<Response> =>
      askKiosk(dataDir, path, { signal: AbortSignal.timeout(withinMs) }),
    /** The last output to the terminal of the current kiosk and the one before it. */
    output: () => before + kiosk.output(),
    /** Asks it to quit; resolves with the exit code (null when killed) once no process of it runs. */
    stop(): Promise<number | null> {
      stopping = true;
      return kiosk.stop(ENDS_WITHIN_MS);
    },
  };
}
