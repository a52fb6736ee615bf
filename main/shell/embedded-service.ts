import { readFile, writeFile } from 'node:fs/promises';
import { utilityProcess } from 'electron';
import { z } from 'zod';
import type { Log } from '../../shared/log';

const Greeting = z.object({ origin: z.url(), port: z.int(), settings: z.unknown() });

export interface EmbeddedService {
  readonly origin: string;
  /** Settings that make a kiosk use it. */
  readonly settings: unknown;
  /** Lets its store simulator reach this kiosk's signals API. */
  introduce(kiosk: { url: string; token: string }): void;
  stop(): void;
}

const START_DEADLINE_MS = 20_000;

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
  const child = utilityProcess.fork(script, ['--port', lastPort], {
    serviceName: 'Endcap embedded ad service',
    stdio: 'inherit',
  });
  const greeting = await new Promise<z.infer<typeof Greeting>>((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(new Error('the embedded ad service did not start in time')),
      START_DEADLINE_MS,
    );
    child.once('message', (message) => {
      clearTimeout(deadline);
      resolve(Greeting.parse(message));
    });
    child.once('exit', (code) => {
      clearTimeout(deadline);
      reject(new Error(`the embedded ad service ended at once with code ${code}`));
    });
  });
  await writeFile(portFile, String(greeting.port));
  child.on('exit', (code) => log.error('the embedded ad service ended', { code }));
  return {
    origin: greeting.origin,
    settings: greeting.settings,
    introduce: (kiosk) => child.postMessage({ type: 'kiosk', ...kiosk }),
    stop: () => {
      child.removeAllListeners('exit');
      child.kill();
    },
  };
}
