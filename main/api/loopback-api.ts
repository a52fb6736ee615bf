import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { HealthChecks } from './health';
import type { Reporting } from './reporting';
import type { PlaysReader } from './routes';
import { createSignalsServer } from './signals-server';
import type { Status } from './status';

/** A window or the records that say nothing for longer are not well, ms. */
const SILENT_AFTER_MS = 15_000;

export interface LoopbackApi {
  close(): Promise<void>;
}

/** Opens the loopback API; without it (its port is taken) the kiosk plays on, and the status says so. */
export async function openLoopbackApi(parts: {
  /** `signals.port`; 0 picks a free one. */
  readonly port: number;
  readonly dataDirectory: string;
  readonly reporting: Pick<Reporting, 'signals' | 'board' | 'counting'>;
  /** What `GET /metrics` is answered with. */
  readonly registry: Registry;
  readonly status: () => Status;
  /** Monotonic times of the last sign of life, ms; null before the first. */
  readonly windowHeard: () => number | null;
  readonly recordsHeard: () => number | null;
  readonly video: () => HealthChecks['video'];
  readonly plays: PlaysReader;
  readonly version: string;
  /** The embedded ad service, whose store simulator wants to reach this API; null: a real one. */
  readonly demo: { readonly origin: string; introduce(kiosk: { url: string; token: string }): void } | null;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<LoopbackApi> {
  const { dataDirectory, clock, log, demo } = parts;
  const { signals, board, counting } = parts.reporting;
  const started = await createSignalsServer({
    port: parts.port,
    tokenFile: join(dataDirectory, 'signals-token'),
    portFile: join(dataDirectory, 'signals-port'),
    signals,
    status: parts.status,
    health: () => ({
      window: lifeSign(parts.windowHeard(), clock),
      records: lifeSign(parts.recordsHeard(), clock),
      video: parts.video(),
    }),
    plays: parts.plays,
    registry: parts.registry,
    answered: counting.requestAnswered,
    version: parts.version,
    clock,
    log,
  });
  if (!started.ok) {
    log.error('there is no signals API', { problem: started.error.message });
    board.tell({
      kind: 'section',
      name: 'signalsServer',
      value: { url: null, problem: started.error.message },
    });
    return { close: async () => {} };
  }
  const { server } = started;
  board.tell({ kind: 'section', name: 'signalsServer', value: { url: server.url, problem: null } });
  if (demo) {
    demo.introduce({ url: server.url, token: server.token });
    log.info(`play store in a browser: ${demo.origin}/simulator`);
  }
  return { close: server.close };
}

/** Whether something that should be heard of every few seconds was. */
function lifeSign(heardAt: number | null, clock: Clock): 'starting' | 'answering' | 'silent' {
  if (heardAt === null) return 'starting';
  return clock.monotonic() - heardAt < SILENT_AFTER_MS ? 'answering' : 'silent';
}
