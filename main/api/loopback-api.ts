import { join } from 'node:path';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Signals } from '../signals/signals';
import type { Metrics } from '../status/metrics';
import type { StatusReader } from '../status/read-status';
import type { StatusBoard } from '../status/status-board';
import type { PlaysReader } from './routes';
import { createSignalsServer } from './signals-server';
import type { TokenAccess } from './token-access';

/** A window or records count as silent after this time, ms. */
const SILENT_AFTER_MS = 15_000;

export interface LoopbackApi {
  close(): Promise<void>;
}

/**
 * Opens the loopback API. If that fails (its port is taken, for example), the kiosk plays on and the status
 * reports it.
 */
export async function openLoopbackApi(parts: {
  /** `signals.port`; 0 picks a free one. */
  readonly port: number;
  readonly dataDirectory: string;
  readonly tokenAccess: TokenAccess;
  readonly signals: Signals;
  readonly board: StatusBoard;
  readonly metrics: Metrics;
  readonly status: StatusReader;
  /** Monotonic times of the last sign of life, ms; null before the first. */
  readonly windowHeard: () => number | null;
  readonly recordsHeard: () => number | null;
  readonly plays: PlaysReader;
  readonly version: string;
  /** The embedded ad service, whose store simulator uses this API; null: a real service. */
  readonly demo: { readonly origin: string; introduce(kiosk: { url: string; token: string }): void } | null;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<LoopbackApi> {
  const { dataDirectory, signals, board, metrics, status, clock, log, demo } = parts;
  const started = await createSignalsServer({
    port: parts.port,
    tokenFile: join(dataDirectory, 'signals-token'),
    portFile: join(dataDirectory, 'signals-port'),
    tokenAccess: parts.tokenAccess,
    signals,
    status,
    metrics,
    health: () => ({
      window: lifeSign(parts.windowHeard(), clock),
      records: lifeSign(parts.recordsHeard(), clock),
      video: board.told().video,
    }),
    plays: parts.plays,
    answered: (route, status) => board.tell({ kind: 'request-answered', route, status }),
    version: parts.version,
    clock,
    log,
  });
  if (!started.ok) {
    log.error('there is no signals API', { problem: started.error.message });
    const value = { url: null, problem: started.error.message };
    board.tell({ kind: 'section', name: 'signalsServer', value });
    return { close: async () => {} };
  }
  const { server } = started;
  board.tell({ kind: 'section', name: 'signalsServer', value: { url: server.url, problem: server.problem } });
  if (demo) {
    demo.introduce({ url: server.url, token: server.token });
    log.info(`play store in a browser: ${demo.origin}/simulator`);
  }
  return { close: server.close };
}

/** The state of something that must report every few seconds. */
function lifeSign(heardAt: number | null, clock: Clock): 'starting' | 'answering' | 'silent' {
  if (heardAt === null) return 'starting';
  return clock.monotonic() - heardAt < SILENT_AFTER_MS ? 'answering' : 'silent';
}
