import { join } from 'node:path';
import type { Clock } from '../../shared/clock';
import type { StatusBoard } from '../status/status-board';
import type { HealthChecks } from './answers';
import { createSignalsServer, type SignalsServer, type SignalsServerParts } from './signals-server';

/** A window or records count as silent after this time, ms. */
const SILENT_AFTER_MS = 15_000;

export type LoopbackApi = Pick<SignalsServer, 'close'>;

interface LoopbackApiParts
  extends Omit<SignalsServerParts, 'tokenFile' | 'portFile' | 'health' | 'answered'> {
  readonly dataDirectory: string;
  readonly board: StatusBoard;
  /** Monotonic times of the last sign of life, ms; null before the first. */
  readonly windowHeard: () => number | null;
  readonly recordsHeard: () => number | null;
  /** The embedded ad service, whose store simulator uses this API; null: a real service. */
  readonly demo: { readonly origin: string; introduce(kiosk: { url: string; token: string }): void } | null;
}

/**
 * Opens the loopback API. If that fails (its port is taken, for example), the kiosk plays on and the status
 * reports it.
 */
export async function openLoopbackApi(parts: LoopbackApiParts): Promise<LoopbackApi> {
  const { dataDirectory, board, windowHeard, recordsHeard, demo, ...rest } = parts;
  const { clock, log } = rest;
  const started = await createSignalsServer({
    ...rest,
    tokenFile: join(dataDirectory, 'signals-token'),
    portFile: join(dataDirectory, 'signals-port'),
    health: () => ({
      window: lifeSign(windowHeard(), clock),
      records: lifeSign(recordsHeard(), clock),
      video: board.told().video,
    }),
    answered: (route, status) => board.tell({ kind: 'request-answered', route, status }),
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
function lifeSign(heardAt: number | null, clock: Pick<Clock, 'monotonic'>): HealthChecks['window'] {
  if (heardAt === null) return 'starting';
  return clock.monotonic() - heardAt < SILENT_AFTER_MS ? 'answering' : 'silent';
}
