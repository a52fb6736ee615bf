import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { endedWithin, programRunner, runProgram } from './run-program';

const node = (script: string) => runProgram(process.execPath, ['-e', script]);

describe('a program of the system', () => {
  it('returns its output', async () => {
    expect(await node('console.log("two words")')).toBe('two words\n');
  });

  it('gets its arguments as they are, since there is no shell', async () => {
    const written = await runProgram(process.execPath, ['-e', 'console.log(process.argv[1])', '$HOME; *']);
    expect(written).toBe('$HOME; *\n');
  });

  it('writes English in any locale of the kiosk', async () => {
    vi.stubEnv('LC_ALL', 'de_DE.UTF-8');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await node('console.log(process.env.LC_ALL, "PATH" in process.env)')).toBe('C true\n');
  });

  it.each([
    ['is not there', () => runProgram('endcap-has-no-such-program', []), 'is not installed'],
    ['is closed to this user', () => runProgram(import.meta.filename, []), 'is not installed'],
    ['fails', () => node('console.error("no display\\nmore"); process.exit(3)'), 'failed (3): no display'],
    [
      'complains on its standard output',
      () => node('console.log("no bus"); process.exit(1)'),
      'failed (1): no bus',
    ],
    ['is ended', () => node('process.kill(process.pid, "SIGTERM")'), 'failed (a signal ended it)'],
    [
      'writes without end',
      () => node('require("fs").writeSync(1, "x".repeat(300_000)); setInterval(() => {}, 1000)'),
      'wrote too much',
    ],
  ])('that %s is an error of one line', async (_what, run, message) => {
    await expect(run()).rejects.toThrow(new RegExp(`^\\S+ ${message.replace(/[()]/g, '\\$&')}$`));
  });

  it('that does not end is killed, even if it ignores SIGTERM', async () => {
    const endless = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
    const run = programRunner(1_000)(process.execPath, ['-e', endless]);
    await expect(run).rejects.toThrow('did not end within 1 s');
  });

  it('that cannot be killed is given up, and the same command is not run again until it ends', async () => {
    const time = handTurnedTime();
    const hanging: Array<() => void> = [];
    const started: string[] = [];
    const run = endedWithin(
      (program, args) => {
        started.push([program, ...args].join(' '));
        return args[0] === 'bus'
          ? new Promise((resolve) => hanging.push(() => resolve('')))
          : Promise.resolve('');
      },
      11_000,
      time.schedule,
    );
    const first = run('tool', ['bus']).catch(String);
    await time.advance(11_000);
    expect(await first).toBe('Error: tool did not end within 11 s');
    await expect(run('tool', ['bus'])).rejects.toThrow('tool hangs and cannot be killed');
    await run('tool', ['other']);
    hanging[0]?.();
    await time.settle();
    void run('tool', ['bus']);
    expect(started).toEqual(['tool bus', 'tool other', 'tool bus']);
  });
});
