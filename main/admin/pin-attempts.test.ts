import { mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { FREE_ATTEMPTS, openPinAttempts, waitAfter } from './pin-attempts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-pin-'));
  file = join(folder, 'pin-attempts.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const right = async () => true;
const wrong = async () => false;

/** One run of the process; each has a monotonic clock that starts elsewhere. */
function start(at = 0) {
  const time = { now: at };
  return { time, open: () => openPinAttempts(file, { monotonic: () => time.now }, silentLog) };
}

describe('PIN attempts', () => {
  it('need no wait for the first five, then longer and longer waits', async () => {
    const { time, open } = start();
    const attempts = await open();
    const answers = [];
    for (let index = 0; index < FREE_ATTEMPTS; index += 1) answers.push(await attempts.attempt(wrong));
    expect(answers).toEqual([
      { result: 'wrong', attemptsLeft: 4 },
      { result: 'wrong', attemptsLeft: 3 },
      { result: 'wrong', attemptsLeft: 2 },
      { result: 'wrong', attemptsLeft: 1 },
      { result: 'wait', waitMs: 30_000 },
    ]);
    const waits = [];
    for (let index = 0; index < 8; index += 1) {
      time.now += attempts.standing().waitMs;
      const answer = await attempts.attempt(wrong);
      waits.push(answer.result === 'wait' ? answer.waitMs / 1000 : answer);
    }
    expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900, 900]);
  });

  it('are not even compared while a wait runs', async () => {
    const { time, open } = start();
    const attempts = await open();
    for (let index = 0; index < FREE_ATTEMPTS; index += 1) await attempts.attempt(wrong);
    time.now += 29_999;
    let compared = false;
    const answer = await attempts.attempt(async () => {
      compared = true;
      return true;
    });
    expect({ answer, compared }).toEqual({ answer: { result: 'wait', waitMs: 1 }, compared: false });
    time.now += 1;
    expect(await attempts.attempt(right)).toEqual({ result: 'unlocked' });
  });

  it('are counted from zero again after the right PIN', async () => {
    const attempts = await start().open();
    await attempts.attempt(wrong);
    await attempts.attempt(right);
    expect(attempts.standing()).toEqual({ attemptsLeft: FREE_ATTEMPTS, waitMs: 0 });
    expect(await attempts.attempt(wrong)).toEqual({ result: 'wrong', attemptsLeft: 4 });
  });

  it('are counted before the comparison, so killing the process gives no extra attempt', async () => {
    for (let killed = 1; killed <= FREE_ATTEMPTS; killed += 1) {
      const attempts = await start(killed * 1_000).open();
      void attempts.attempt(() => new Promise(() => {}));
      await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain(`"failures":${killed}}`);
    }
    expect((await start(5).open()).standing()).toEqual({ attemptsLeft: 0, waitMs: 30_000 });
  });

  it('are processed one at a time', async () => {
    const attempts = await start().open();
    const comparisons: Array<(isRight: boolean) => void> = [];
    const first = attempts.attempt(() => new Promise<boolean>((resolve) => comparisons.push(resolve)));
    expect(await attempts.attempt(right)).toMatchObject({ result: 'wait' });
    await expect.poll(() => comparisons).toHaveLength(1);
    comparisons[0]?.(false);
    expect(await first).toEqual({ result: 'wrong', attemptsLeft: 4 });
  });

  it('are stored in a file that only the kiosk can read', async () => {
    const attempts = await start().open();
    await attempts.attempt(wrong);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{"version":1', '{"version":1,"failures":-3}', '{"version":1,"failures":"0"}', 'null'])(
    'are used up if the stored count is invalid: %j',
    async (content) => {
      await writeFile(file, content);
      expect((await start().open()).standing()).toEqual({ attemptsLeft: 0, waitMs: 30_000 });
    },
  );

  it('wait as long as the stored count says once it can be read, and before that as if all were used up', async () => {
    await writeFile(`${file}.good`, '{"version":1,"failures":9}');
    // A link to itself: reading fails, as from a bad disk.
    await symlink(file, file);
    const { time, open } = start();
    const attempts = await open();
    expect(attempts.standing()).toEqual({ attemptsLeft: 0, waitMs: 30_000 });
    time.now += 30_000;
    await rename(`${file}.good`, file);
    expect(await attempts.attempt(right)).toEqual({ result: 'wait', waitMs: 450_000 });
    expect(await readFile(file, 'utf8')).toContain('"failures":9');
    time.now += 450_000;
    expect(await attempts.attempt(right)).toEqual({ result: 'unlocked' });
  });

  it('are counted anew if the count cannot be read again', async () => {
    await symlink(file, file);
    const { time, open } = start();
    const attempts = await open();
    time.now += 30_000;
    expect(await attempts.attempt(wrong)).toEqual({ result: 'wait', waitMs: 60_000 });
    expect((await start().open()).standing().waitMs).toBe(60_000);
  });

  /** Opens attempts, and lets their first wait pass, while the file with nine wrong ones can be neither read nor written. */
  async function openOnBrokenDisk() {
    await writeFile(`${file}.good`, '{"version":1,"failures":9}');
    await symlink(file, file);
    // In the place of what is written first: writing fails.
    await mkdir(`${file}.tmp`);
    const { time, open } = start();
    const attempts = await open();
    time.now += 30_000;
    return {
      time,
      attempts,
      async mendDisk() {
        await rmdir(`${file}.tmp`);
        await rename(`${file}.good`, file);
      },
    };
  }

  it('wait as the stored count says even after a try that could neither read nor store it', async () => {
    const { time, attempts, mendDisk } = await openOnBrokenDisk();
    expect(await attempts.attempt(wrong)).toEqual({ result: 'wait', waitMs: 60_000 });
    await mendDisk();
    time.now += 60_000;
    expect(await attempts.attempt(wrong)).toEqual({ result: 'wait', waitMs: 420_000 });
    expect(await readFile(file, 'utf8')).toContain('"failures":9');
  });

  it('are free again after the right PIN, even if an older count can be read only then', async () => {
    const { attempts, mendDisk } = await openOnBrokenDisk();
    expect(await attempts.attempt(right)).toEqual({ result: 'unlocked' });
    await mendDisk();
    expect(await attempts.attempt(wrong)).toEqual({ result: 'wrong', attemptsLeft: 4 });
    expect(await readFile(file, 'utf8')).toContain('"failures":1');
  });

  it('stay possible and limited while the count cannot be stored', async () => {
    const attempts = await openPinAttempts(join(folder, 'gone', 'x.json'), { monotonic: () => 0 }, silentLog);
    for (let index = 0; index < FREE_ATTEMPTS; index += 1) await attempts.attempt(wrong);
    expect(attempts.standing().waitMs).toBe(30_000);
  });

  it('cannot come sooner through restarts or through time outside the process, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ do: fc.constant('try' as const) }),
            fc.record({ do: fc.constant('restart' as const), monotonic: fc.integer({ min: 0, max: 1e9 }) }),
            fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
          ),
          { maxLength: 40, size: 'max' },
        ),
        async (steps) => {
          await rm(file, { force: true });
          let { time, open } = start();
          let attempts = await open();
          let compared = 0;
          let servedSinceLast = 0;
          for (const step of steps) {
            if (step.do === 'restart') {
              ({ time, open } = start(step.monotonic));
              attempts = await open();
              servedSinceLast = 0;
            } else if (step.do === 'wait') {
              time.now += step.ms;
              servedSinceLast += step.ms;
            } else {
              const before = compared;
              await attempts.attempt(async () => {
                compared += 1;
                return false;
              });
              const mayTry = servedSinceLast >= waitAfter(before);
              expect(compared - before).toBe(mayTry ? 1 : 0);
              if (mayTry) servedSinceLast = 0;
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
