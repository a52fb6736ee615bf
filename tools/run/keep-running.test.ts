import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepRunning } from './keep-running.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-keep-running-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs a program under `keepRunning`, in a process of its own. The program ends in the given ways, and in the last
 * one from then on.
 * @param ends exit codes, signals, or until it is asked to end
 */
function keptRunning(ends: (number | NodeJS.Signals | 'stays')[]) {
  const starts = join(folder, 'starts');
  writeFileSync(starts, '');
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
    appendFileSync(${JSON.stringify(starts)}, process.pid + '\\n');
    const ends = ${JSON.stringify(ends)};
    const times = readFileSync(${JSON.stringify(starts)}, 'utf8').trim().split('\\n').length;
    const end = ends[Math.min(times, ends.length) - 1];
    if (end === 'stays') {
      process.on('SIGTERM', () => process.exit(70));
      setInterval(() => {}, 1_000);
    } else if (typeof end === 'string') process.kill(process.pid, end);
    else process.exit(end);`,
  );
  const keeper = join(folder, 'keeper.mjs');
  const tested = fileURLToPath(new URL('./keep-running.ts', import.meta.url));
  writeFileSync(
    keeper,
    `import { keepRunning } from ${JSON.stringify(tested)};
    process.exitCode = await keepRunning([process.execPath, ${JSON.stringify(program)}], {});`,
  );
  const typescript = new URL('./typescript.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', typescript, keeper], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    said: () => said,
    starts: () => readFileSync(starts, 'utf8').trim().split('\n').filter(Boolean),
  };
}

describe('a kiosk that npm start keeps running', () => {
  it.each([0, 1, 2])('is not restarted after exit code %i', async (code) => {
    const kiosk = keptRunning([code]);
    expect(await kiosk.ended).toBe(code);
    expect(kiosk.starts()).toHaveLength(1);
  });

  it('is restarted after an unexpected error and after a signal, with a message', async () => {
    const kiosk = keptRunning([70, 'SIGKILL', 'SIGTRAP', 0]);
    expect(await kiosk.ended).toBe(0);
    expect(kiosk.starts()).toHaveLength(4);
    expect(kiosk.said().match(/ended unexpectedly \(code (70|137|133)\); it is started over/g)).toHaveLength(
      3,
    );
  });

  it('is restarted as often as it requests it', async () => {
    const kiosk = keptRunning([75, 75, 75, 75, 75, 75, 75, 0]);
    expect(await kiosk.ended).toBe(0);
    expect(kiosk.starts()).toHaveLength(8);
  });

  it('is not restarted after five times in a minute, and its exit code is returned with a message', async () => {
    const kiosk = keptRunning([70]);
    expect(await kiosk.ended).toBe(70);
    expect(kiosk.starts()).toHaveLength(6);
    expect(kiosk.said()).toContain('ended 6 times within a minute. It is not started over any more');
  });

  it('is not restarted after it was asked to end, whatever its exit code', async () => {
    const kiosk = keptRunning([70, 'stays']);
    await expect.poll(kiosk.starts).toHaveLength(2);
    // Repeated until the program handles it: a program that is still starting dies of it, which is just as good here.
    kiosk.child.kill('SIGTERM');
    expect([70, 143]).toContain(await kiosk.ended);
    expect(kiosk.starts()).toHaveLength(2);
  });

  it('ends for good if its caller stops it', async () => {
    const stop = new AbortController();
    const program = 'process.on("SIGTERM", () => process.exit(70)); setInterval(() => {}, 1_000);';
    const code = keepRunning([process.execPath, '-e', program], {}, stop.signal);
    stop.abort();
    // Until the program handles the signal, it dies of it.
    expect([70, 143]).toContain(await code);
  });

  it('ends at once if its caller had stopped it before it started', async () => {
    const command = [process.execPath, '-e', 'setInterval(() => {}, 1_000)'] as [string, ...string[]];
    expect(await keepRunning(command, {}, AbortSignal.abort())).toBe(143);
  });
});
