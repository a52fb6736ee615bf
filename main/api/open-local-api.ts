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
  let cancel = () => {};

  async function attempt(): Promise<LocalApi | null> {
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
      const problem = `${started.problem.replace(/\.?$/, '.')} The kiosk tries again each minute.`;
      // It may last for weeks.
      if (board.told().signalsServer?.problem !== problem)
        log.error('the local API could not be opened', { problem });
      board.tell({ kind: 'section', name: 'signalsServer', value: { url: null, problem } });
      cancel = schedule(AGAIN_MS, () => {
        opened = attempt();
      });
      return null;
    }
    const { server } = started;
    const { url, token } = server;
    report(server, server.portProblem);
    if (demo) {
      demo.introduce({ url, token });
      log.info(`play store in a browser: ${demo.origin}/simulator`);
    }
    return server;
  }

  /** Reports how the open API is doing, and tries again to write its port file where that failed. */
  function report(server: LocalApi, portProblem: string | null): void {
    const { url } = server;
    const problems = [server.problem, portProblem && `${portProblem} The kiosk tries again each minute.`];
    const problem = problems.filter((each) => each !== null).join(' ') || null;
    if (portProblem !== null && board.told().signalsServer?.problem !== problem)
      log.warn('the port file could not be written', { problem: portProblem });
    board.tell({ kind: 'section', name: 'signalsServer', value: { url, problem } });
    if (portProblem === null) return;
    cancel = schedule(AGAIN_MS, () => {
      opened = server.writePortFile().then((again) => {
        report(server, again);
        return server;
      });
    });
  }

  let opened = attempt();
  await opened;
  return {
    async close(): Promise<void> {
      // A try under way ends first.
      const server = await opened;
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
