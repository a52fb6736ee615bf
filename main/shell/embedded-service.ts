import { readFile, writeFile } from 'node:fs/promises';
import { type UtilityProcess, utilityProcess } from 'electron';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import type { LifeSigns, Liveness } from './liveness';

const Greeting = z.object({ origin: z.url(), port: z.int(), settings: z.unknown() });
type Greeting = z.infer<typeof Greeting>;
const Pong = z.object({ type: z.literal('pong') });

export interface EmbeddedService {
  readonly origin: string;
  /** Settings that make a kiosk use it. */
  readonly settings: unknown;
  /** Lets its store simulator reach this kiosk's signals API. */
  introduce(kiosk: { url: string; token: string }): void;
  /** From now on it is started over when it ends (rule 25). */
  supervise(supervision: ServiceSupervision): void;
  stop(): void;
}

export interface ServiceSupervision {
  /** Whether it may be started once more. */
  readonly mayTry: () => boolean;
  readonly giveUp: () => void;
  /** A process that does not answer is ended; another takes over. */
  readonly liveness: Pick<Liveness, 'register'>;
}

const START_DEADLINE_MS = 20_000;
const PING_MS = 3_000;
const SILENT_MS = 12_000;

/**
 * Starts the embedded ad service in a process of its own. It gets the port it had
 * the last time, if that is free: the stored playlist names it, and so does the
 * environment the books belong to.
 */
export async function startEmbeddedService(
  script: string,
  portFile: string,
  log: Log,
): Promise<EmbeddedService> {
  const lastPort = await readFile(portFile, 'utf8').then(
    (text) => (/^\d{1,5}$/.test(text.trim()) ? text.trim() : '0'),
    () => '0',
  );
  let supervision: ServiceSupervision | null = null;
  let signs: LifeSigns | null = null;
  let kiosk: { url: string; token: string } | null = null;
  let isStopped = false;
  let isRunning = true;
  let { child, greeting } = await fork(script, lastPort);
  const { origin, port, settings } = greeting;
  await writeFile(portFile, String(port));

  function watch(): void {
    child.on('message', (message) => {
      if (Pong.safeParse(message).success) signs?.heard();
    });
    child.once('exit', (code) => {
      isRunning = false;
      if (isStopped) return;
      log.error('the embedded ad service ended', { code });
      void startOver();
    });
  }

  async function startOver(): Promise<void> {
    if (!supervision) return;
    if (!supervision.mayTry()) {
      supervision.giveUp();
      return;
    }
    try {
      // On its own port: that is where everybody looks for it.
      ({ child, greeting } = await fork(script, String(port)));
    } catch (fault) {
      log.error('the embedded ad service could not be started over', { fault });
      void startOver();
      return;
    }
    if (isStopped) {
      child.kill();
      return;
    }
    isRunning = true;
    watch();
    signs?.started();
    if (kiosk) child.postMessage({ type: 'kiosk', ...kiosk });
    log.info('the embedded ad service is back');
  }

  watch();
  return {
    origin,
    settings,
    introduce(introduced) {
      kiosk = introduced;
      child.postMessage({ type: 'kiosk', ...introduced });
    },
    supervise(given) {
      supervision = given;
      signs = given.liveness.register({
        name: 'service',
        withinMs: SILENT_MS,
        ask: { everyMs: PING_MS, run: () => child.postMessage({ type: 'ping' }) },
        onSilence() {
          // Not `child.kill()`: what stands still does not hear a request to end.
          if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
        },
      });
      // It may have ended while nobody kept it.
      if (!isRunning) void startOver();
    },
    stop() {
      isStopped = true;
      child.kill();
    },
  };
}

/** Resolves once it serves; rejects when it ends or says nothing instead. */
async function fork(script: string, port: string): Promise<{ child: UtilityProcess; greeting: Greeting }> {
  const child = utilityProcess.fork(script, ['--port', port], {
    serviceName: 'Endcap embedded ad service',
    stdio: 'inherit',
  });
  // Its end is told by `exit`; of an error that nobody listens to, this process would end too.
  child.on('error', () => {});
  const greeting = await new Promise<Greeting>((resolve, reject) => {
    const deadline = setTimeout(() => {
      child.kill();
      reject(new Error('the embedded ad service did not start in time'));
    }, START_DEADLINE_MS);
    const ended = (code: number) => {
      clearTimeout(deadline);
      reject(new Error(`the embedded ad service ended at once with code ${code}`));
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      clearTimeout(deadline);
      child.off('exit', ended);
      resolve(Greeting.parse(message));
    });
  });
  return { child, greeting };
}
