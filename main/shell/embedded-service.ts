import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type UtilityProcess, utilityProcess } from 'electron';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import { DEMO_PIN, DEMO_PIN_HASH } from '../../shared/staff';
import { timers } from '../schedule';
import { readWithFiles } from '../settings/find-settings';
import { Secret } from '../settings/secret';
import type { Settings } from '../settings/settings';
import { readFileOnDisk } from '../settings/settings-file-on-disk';
import { writeWholeFile } from '../whole-file';

const Greeting = z.object({ origin: z.url(), port: plain.whole, settings: z.unknown() });
type Greeting = z.infer<typeof Greeting>;

export type EmbeddedService = Awaited<ReturnType<typeof startDemo>>['service'];

const START_DEADLINE_MS = 20_000;
/** Pause after a restart that failed, ms: its port may be in use for a moment. */
const TRY_AGAIN_MS = 1_000;

/**
 * Starts the embedded ad service in its own process, for a kiosk that runs from source without settings; resolves to
 * settings that use it. It is started over when it ends (rule 25). It gets its last port again if that is free, because
 * the stored playlist and the books' environment contain it. Rejects if it does not serve within 20 s.
 */
export async function startDemo(
  programs: string,
  dataDirectory: string,
  mayRestart: () => boolean,
  log: Log,
) {
  const script = join(programs, 'demo-service.js');
  const portFile = join(dataDirectory, 'demo-port');
  const stored = await readFile(portFile, 'utf8').catch(() => '');
  const lastPort = /^\d{1,5}$/.exec(stored.trim())?.[0] ?? '0';
  let kiosk: { url: string; token: string } | null = null;
  let isStopped = false;
  let { child, greeting } = await fork(script, lastPort);
  const { origin, port } = greeting;
  watch();

  function watch(): void {
    child.once('exit', (code) => {
      if (isStopped) return;
      log.error('the embedded ad service ended', { code });
      void startOver();
    });
  }

  async function startOver(): Promise<void> {
    if (isStopped || !mayRestart()) return;
    try {
      ({ child, greeting } = await fork(script, String(port)));
      // The playlist and the store simulator contain its port.
      if (greeting.port !== port) {
        child.kill();
        throw new Error(`another program uses port ${port}`);
      }
    } catch (error) {
      log.error('the embedded ad service could not be restarted', { error });
      timers(TRY_AGAIN_MS, () => void startOver());
      return;
    }
    watch();
    if (kiosk) child.postMessage({ type: 'kiosk', ...kiosk });
    log.info('the embedded ad service is back');
  }

  const files = { env: process.env, readFile: readFileOnDisk };
  const read = await readWithFiles(greeting.settings, 'the embedded demo', files);
  if (read.kind === 'error') throw new Error(read.message);
  await writeWholeFile(portFile, String(port), 0o644).catch((error: unknown) =>
    log.warn('the port of the embedded ad service could not be stored', { error }),
  );
  const service = {
    origin,
    /** Lets its store simulator reach this kiosk's local API. */
    introduce(introduced: { url: string; token: string }) {
      kiosk = introduced;
      child.postMessage({ type: 'kiosk', ...introduced });
    },
    stop() {
      isStopped = true;
      child.kill();
    },
  };
  log.info(`staff overlay: five taps in the top left corner or Ctrl+Shift+F12, PIN ${DEMO_PIN}`);
  const admin = { ...read.settings.admin, pinHash: new Secret(DEMO_PIN_HASH) };
  const settings: Settings = { ...read.settings, admin };
  return { settings, service };
}

/** Resolves once it serves; rejects when it ends or does not answer in time. */
async function fork(script: string, port: string): Promise<{ child: UtilityProcess; greeting: Greeting }> {
  const child = utilityProcess.fork(script, ['--port', port], {
    serviceName: 'Endcap embedded ad service',
    stdio: 'inherit',
  });
  // `exit` reports its end. Without a listener, an `error` event would end this process too.
  child.on('error', () => {});
  const { promise, resolve, reject } = Promise.withResolvers<Greeting>();
  const deadline = setTimeout(() => {
    child.kill();
    reject(new Error('the embedded ad service did not start in time'));
  }, START_DEADLINE_MS);
  child.once('exit', (code) => reject(new Error(`the embedded ad service ended at once with code ${code}`)));
  child.once('message', (message) => resolve(Greeting.parse(message)));
  return { child, greeting: await promise.finally(() => clearTimeout(deadline)) };
}
