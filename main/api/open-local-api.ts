import { join } from 'node:path';
import type { StatusBoard } from '../status/status-board';
import type { HealthChecks } from './answers';
import { createLocalApi, type LocalApiParts } from './local-api';

/** A window or records count as silent after this time, ms. */
const SILENT_AFTER_MS = 15_000;

interface OpenLocalApiParts extends Omit<LocalApiParts, 'tokenFile' | 'portFile' | 'health' | 'answered'> {
  readonly dataDirectory: string;
  readonly board: StatusBoard;
  /** How long each has been silent although it must report, ms; null before its first report. */
  readonly windowSilentMs: () => number | null;
  readonly recordsSilentMs: () => number | null;
  /** The embedded ad service, whose store simulator uses this API; null: a real service. */
  readonly demo: { readonly origin: string; introduce(kiosk: { url: string; token: string }): void } | null;
}

/**
 * Opens the local API. If that fails (its port is taken, for example), the kiosk plays on and the status
 * reports it.
 */
export async function openLocalApi(parts: OpenLocalApiParts) {
  const { dataDirectory, board, windowSilentMs, recordsSilentMs, demo, ...rest } = parts;
  const { log } = rest;
  const started = await createLocalApi({
    ...rest,
    tokenFile: join(dataDirectory, 'signals-token'),
    portFile: join(dataDirectory, 'signals-port'),
    health: () => ({
      window: lifeSign(windowSilentMs()),
      records: lifeSign(recordsSilentMs()),
      video: board.told().video,
    }),
    answered: (route, status) => board.tell({ kind: 'request-answered', route, status }),
  });
  if (!started.ok) {
    log.error('the local API could not be opened', { problem: started.error.message });
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
function lifeSign(silentMs: number | null): HealthChecks['window'] {
  if (silentMs === null) return 'starting';
  return silentMs < SILENT_AFTER_MS ? 'answering' : 'silent';
}
