import { join } from 'node:path';
import type { Schedule } from '../schedule';
import type { StatusBoard } from '../status/status-board';
import type { HealthChecks } from './answers';
import { createLocalApi, type LocalApi, type LocalApiParts } from './local-api';

/** A window or records count as silent after this time, ms. */
const SILENT_AFTER_MS = 15_000;

/** Wait before another try, ms. */
const AGAIN_MS = 60_000;

interface OpenLocalApiParts extends Omit<LocalApiParts, 'tokenFile' | 'portFile' | 'health' | 'answered'> {
  readonly dataDirectory: string;
  readonly board: Pick<StatusBoard, 'tell' | 'told'>;
  readonly schedule: Schedule;
  /** How long each has been silent although it must report, ms; null before its first report. */
  readonly windowSilentMs: () => number | null;
  readonly recordsSilentMs: () => number | null;
  /** The embedded ad service, whose store simulator uses this API; null: a real service. */
  readonly demo: { readonly origin: string; introduce(kiosk: { url: string; token: string }): void } | null;
}

/**
 * Opens the local API. If that fails (its port is taken, for example), or its port file cannot be written, the kiosk
 * plays on, the status reports it, and it is tried again each minute until `close`.
 */
export async function openLocalApi(parts: OpenLocalApiParts) {
  const { dataDirectory, board, windowSilentMs, recordsSilentMs, demo, schedule, ...rest } = parts;
  const { log } = rest;
  let server: LocalApi | null = null;
  let cancel = () => {};

  /** Does what is left to do; resolves to why not all of it could be done. */
  async function open(): Promise<string | null> {
    if (server === null) {
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
      if (!started.ok) return started.problem.replace(/\.?$/, '.');
      server = started.server;
      const { url, token } = server;
      if (demo) {
        demo.introduce({ url, token });
        log.info(`play store in a browser: ${demo.origin}/simulator`);
      }
    }
    return server.writePortFile();
  }

  async function attempt(): Promise<void> {
    const left = await open();
    const problems = [server?.problem ?? null, left && `${left} The kiosk tries again each minute.`];
    const problem = problems.filter((each) => each !== null).join(' ') || null;
    // It may last for weeks.
    if (left !== null && board.told().signalsServer?.problem !== problem)
      log.error('the local API cannot be used, or not by all', { problem });
    board.tell({ kind: 'section', name: 'signalsServer', value: { url: server?.url ?? null, problem } });
    if (left !== null)
      cancel = schedule(AGAIN_MS, () => {
        trying = attempt();
      });
  }

  let trying = attempt();
  await trying;
  return {
    async close(): Promise<void> {
      // A try under way ends first.
      await trying;
      cancel();
      await server?.close();
    },
  };
}

/** The state of something that must report every few seconds. */
function lifeSign(silentMs: number | null): HealthChecks['window'] {
  if (silentMs === null) return 'starting';
  return silentMs < SILENT_AFTER_MS ? 'answering' : 'silent';
}
