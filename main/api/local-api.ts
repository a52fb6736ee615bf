import { chmod, rm } from 'node:fs/promises';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { reasonOf } from '../describe-error';
import { limitedLog } from '../limited-log';
import { writeWholeFile } from '../whole-file';
import { createAdmission } from './admission';
import { createApiServer } from './api-server';
import { type Listening, listenOnLoopback } from './loopback-listeners';
import { createRoutes, type RoutesParts } from './routes';
import { DEFAULT_LIMITS, type ServerLimits } from './server-limits';
import { grantToken, type TokenAccess } from './token-access';
import { tokenIn } from './token-file';

export interface LocalApiParts extends RoutesParts {
  /** 0 picks a free one. */
  readonly port: number;
  /** `signals-token` and `signals-port` in the data folder. */
  readonly tokenFile: string;
  readonly portFile: string;
  readonly tokenAccess: TokenAccess;
  /** Called for every answer, refusals of unreadable requests included; `route` is a known path or `other`. */
  readonly answered: (route: string, status: number) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

export type LocalApi = Extract<Awaited<ReturnType<typeof createLocalApi>>, { readonly ok: true }>['server'];

/** Starts the local API on 127.0.0.1 and [::1], without its port file. Never throws: errors come back as a value. */
export async function createLocalApi(parts: LocalApiParts) {
  const { clock, log } = parts;
  const limits: ServerLimits = { ...DEFAULT_LIMITS, ...parts.limits };

  // An old port file could lead sensors, and their token, to another program that listens there now.
  await rm(parts.portFile, { force: true }).catch((error: unknown) =>
    log.warn('the old port file could not be removed', { error: reasonOf(error) }),
  );
  let token: string;
  try {
    token = await tokenIn(parts.tokenFile, log);
  } catch (error) {
    return { ok: false, problem: `${parts.tokenFile}: ${reasonOf(error)}` } as const;
  }
  const problem = await grantToken(parts.tokenFile, parts.tokenAccess);
  if (problem !== null) log.warn('the token cannot be read by its group', { problem });

  // A flood of requests must not fill the log; the metrics count all of them.
  const { warn } = limitedLog({ log, clock });
  const routes = createRoutes(parts, limits, () => port);
  let port = 0;

  const http = createApiServer({
    answering: { limits, log },
    judge: createAdmission(token, routes, limits, clock, () => port),
    noteAnswer(answer, path = '') {
      const route = routes.has(path) ? path : 'other';
      parts.answered(route, answer.status);
      if (answer.refusal !== null) warn(`the local API refused a request: ${answer.refusal}`, { route });
    },
  });

  const listening = await listenOnLoopback(http, parts.port);
  if (!listening.ok) return { ok: false, problem: notListening(listening) } as const;
  port = listening.port;
  // For example no file handles are left; the kiosk plays on.
  http.on('error', (error) => log.error('the local API cannot take connections', { error: reasonOf(error) }));
  log.info('the local API listens', { port });

  const server = {
    url: `http://127.0.0.1:${port}`,
    token,
    /** Why the token cannot be read by `signals.tokenGroup`, and what to do; null: it can, or there is none. */
    problem,
    /** Resolves to null, or to why the file could not be written and what to do: the API works all the same. */
    writePortFile: (): Promise<string | null> =>
      writeWholeFile(parts.portFile, `${port}\n`, 0o644)
        // The umask of the unit would close it to the group that may read the token.
        .then(() => chmod(parts.portFile, 0o644))
        .then(() => null)
        .catch(
          (error: unknown) =>
            `${parts.portFile} could not be written (${reasonOf(error)}), and without it clients send nothing. ` +
            'Free space on the disk, or let the kiosk write to that folder.',
        ),
    /** Closes every connection and removes the port file. */
    async close(): Promise<void> {
      await listening.close();
      await rm(parts.portFile, { force: true }).catch(() => undefined);
    },
  };
  return { ok: true, server } as const;
}

function notListening({ address, code }: Extract<Listening, { ok: false }>): string {
  if (code !== 'EADDRINUSE') return `${address}: ${code}`;
  return (
    `${address}: another program listens there (${code}). The API needs its port on 127.0.0.1 and on [::1], ` +
    'or clients that say "localhost" could hand their token to that program. ' +
    'End that program, or set signals.port to another port, or to 0 for a free one.'
  );
}
