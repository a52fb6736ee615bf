import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openUnexpectedEnds } from './unexpected-ends';

let folder = '';
let file = '';
let uptime = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-ends-'));
  file = join(folder, 'unexpected-ends.json');
  uptime = 1_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = () => openUnexpectedEnds(file, () => uptime);

/** Starts that each end for an error, so many seconds after the one before. */
function ends(...after: number[]): void {
  for (const seconds of after) {
    const run = start();
    uptime += seconds;
    run.note();
  }
}

describe('unexpected ends', () => {
  it('lead to a safe start at the third within a minute', () => {
    ends(1, 20);
    expect(start().isSafeStart).toBe(false);
    ends(30);
    expect(start().isSafeStart).toBe(true);
  });

  it('do not when they are further apart, or the third is long ago', () => {
    ends(1, 31, 31);
    expect(start().isSafeStart).toBe(false);
    ends(5);
    expect(start().isSafeStart).toBe(true);
    uptime += 60;
    expect(start().isSafeStart).toBe(false);
  });

  it('lead to another safe start when one falls into a safe start, however late, and not after it', () => {
    ends(1, 1, 1);
    const safe = start();
    uptime += 500;
    safe.note();
    const again = start();
    expect(again.isSafeStart).toBe(true);
    again.safeStartOver();
    uptime += 100;
    again.note();
    expect(start().isSafeStart).toBe(false);
  });

  it('hold for one start: an end that was asked for leads to an ordinary one', () => {
    ends(1, 1, 1);
    start();
    uptime += 500;
    start().note();
    uptime += 200;
    start();
    expect(start().isSafeStart).toBe(false);
  });

  it('of before the machine was switched off do not count', () => {
    ends(1, 1, 1);
    uptime = 10;
    expect(start().isSafeStart).toBe(false);
    expect(start().note()).toBe(1);
  });

  it('are counted for whoever starts it over', () => {
    const counted = [1, 2, 3].map(() => {
      uptime += 1;
      return start().note();
    });
    expect(counted).toEqual([1, 2, 3]);
  });

  it.each(['', '{', 'null', '{"ends":[-1],"again":false}', '{"ends":["1"],"again":true}', '[1,2,3]'])(
    'are none in a file that says %j, and the next one is remembered',
    (content) => {
      writeFileSync(file, content);
      expect(start().isSafeStart).toBe(false);
      expect(start().note()).toBe(1);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ends: [1_000], again: false });
    },
  );

  it('fail to be remembered in a folder that is gone, and no start is safe for it', () => {
    rmSync(folder, { recursive: true });
    const run = start();
    expect(run.isSafeStart).toBe(false);
    expect(() => run.note()).toThrow('ENOENT');
  });

  it('never keep a kiosk in safe starts that does not end by itself, whatever the clocks do', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('runs' as const), seconds: fc.integer({ min: 0, max: 2_000 }) }),
      fc.constant({ kind: 'ends' as const }),
      fc.constant({ kind: 'asked' as const }),
      fc.record({ kind: fc.constant('reboots' as const), uptime: fc.integer({ min: 0, max: 100_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        rmSync(file, { force: true });
        uptime = 1_000;
        // The oracle counts errors in the last minute of the machine's time, forgetting nothing and trusting no file.
        let errors: number[] = [];
        let again = false;
        let run = start();
        const isExpected = () => again || errors.filter((at) => at <= uptime && at > uptime - 60).length >= 3;
        let isSafe = isExpected();
        const next = () => {
          isSafe = isExpected();
          again = false;
          run = start();
          expect(run.isSafeStart).toBe(isSafe);
        };
        for (const happened of events) {
          if (happened.kind === 'runs') uptime += happened.seconds;
          if (happened.kind === 'ends') {
            run.note();
            errors = [...errors.filter((at) => at <= uptime && at > uptime - 60), uptime].slice(-20);
            again = isSafe;
            next();
          }
          if (happened.kind === 'asked') next();
          if (happened.kind === 'reboots') {
            ({ uptime } = happened);
            next();
          }
        }
        // Left alone for a minute, and switched off and on twice, it starts as usual.
        uptime += 61;
        start();
        expect(start().isSafeStart).toBe(false);
      }),
    );
  });
});
