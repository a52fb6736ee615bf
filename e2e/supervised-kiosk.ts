import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'playwright/test';
import { displayPixel, MIDDLE } from './display-pixel';
import { expect } from './expect';
import { electronExecutable, kioskOn, root } from './kiosk';
import { type Colour, isColour } from './two-creatives';

/** A kiosk that is restarted as under `npm start`, observed from outside. Each restart is a new process. */
export interface SupervisedKiosk extends AsyncDisposable {
  /** Process id of the running kiosk; null while there is none. */
  pid(): number | null;
  log(): string;
  /** What the kiosk and `npm start` wrote to the terminal. */
  output(): string;
  /**
   * Runs code in main, or in the embedded service when it begins with `// service`. Resolves when the code
   * was read.
   */
  inject(code: string): Promise<void>;
  /** Resolves when the middle of the display shows one of these colours after this call. */
  shows(colours: readonly Colour[]): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code of `npm start`. */
  end(): Promise<number | null>;
}

/** Starts Electron on a data folder and keeps it running as `npm start` does. `settings` null: the embedded demo. */
export function startSupervisedKiosk(options: {
  readonly dataDir: string;
  readonly settings: object | null;
}): SupervisedKiosk {
  const { dataDir, settings } = options;
  const injected = join(dataDir, 'inject.js');
  const config = join(dataDir, 'config.json');
  if (settings !== null) writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const command = [
    electronExecutable(),
    ...['--ozone-platform=x11', '-r', join(__dirname, 'inject-errors.cjs'), root],
    ...(settings === null ? [] : [`--config=${config}`]),
    ...[`--data-dir=${dataDir}`, '--kiosk'],
  ];
  const script = `
    const { keepRunning, SUPERVISED } = await import(${JSON.stringify(pathToFileURL(join(root, 'tools/run/keep-running.ts')).href)});
    process.exitCode = await keepRunning(${JSON.stringify(command)}, { env: { ...process.env, ...SUPERVISED } });`;
  const typescript = pathToFileURL(join(root, 'tools/run/typescript.mjs')).href;
  const child = spawn(process.execPath, ['--import', typescript, '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ENDCAP_E2E_INJECT: injected, RUNTIME_DIRECTORY: dataDir },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const kiosk: SupervisedKiosk = {
    pid: () => kioskOn(dataDir),
    log: () => {
      const file = join(dataDir, 'logs', 'endcap.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    output: () => output,
    async inject(code) {
      writeFileSync(`${injected}.new`, code);
      renameSync(`${injected}.new`, injected);
      await expect.poll(() => existsSync(injected)).toBe(false);
    },
    shows: (colours) =>
      expect
        .poll(
          async () => {
            const seen = await displayPixel(MIDDLE);
            return colours.some((one) => isColour(one, seen));
          },
          { intervals: [50] },
        )
        .toBe(true),
    async end() {
      child.kill('SIGTERM');
      const code = await ended;
      // Printed if the test failed.
      await test.info().attach('log', { body: kiosk.log(), contentType: 'text/plain' });
      return code;
    },
    async [Symbol.asyncDispose]() {
      await kiosk.end();
    },
  };
  return kiosk;
}
