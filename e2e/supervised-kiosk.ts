import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'playwright/test';
import { displayPixel, MIDDLE } from './display-pixel';
import { expect } from './expect';
import { electronExecutable, kioskOn, logOf, root } from './kiosk';
import { type Colour, isColour } from './two-creatives';

/** A kiosk that is restarted as under `npm start`, observed from outside. Each restart is a new process. */
export type SupervisedKiosk = ReturnType<typeof startSupervisedKiosk>;

/** Starts Electron on a data folder and keeps it running as `npm start` does. `settings` null: the embedded demo. */
export function startSupervisedKiosk(options: {
  readonly dataDir: string;
  readonly settings: object | null;
}) {
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
  const ended = once(child, 'exit');
  return {
    /** Process id of the running kiosk; null while there is none. */
    pid: () => kioskOn(dataDir),
    log: () => logOf(dataDir),
    /** What the kiosk and `npm start` wrote to the terminal. */
    output: () => output,
    /**
     * Runs code in main, or in the embedded service when it begins with `// service`. Resolves when the code
     * was read.
     */
    async inject(code: string): Promise<void> {
      writeFileSync(`${injected}.new`, code);
      renameSync(`${injected}.new`, injected);
      await expect.poll(() => existsSync(injected)).toBe(false);
    },
    /** Resolves when the middle of the display shows one of these colours after this call. */
    shows: (colours: readonly Colour[]) =>
      expect
        .poll(
          async () => {
            const seen = await displayPixel(MIDDLE);
            return colours.some((one) => isColour(one, seen));
          },
          { intervals: [50] },
        )
        .toBe(true),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill('SIGTERM');
      await ended;
      // Printed if the test failed.
      await test.info().attach('log', { body: logOf(dataDir), contentType: 'text/plain' });
    },
  };
}
