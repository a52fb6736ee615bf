import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKioskEnd, MAX_RESTARTS, openUnexpectedEnds } from './unexpected-ends';

let folder = '';
let file = '';
let uptime = 0;
let boot = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-ends-'));
  file = join(folder, 'unexpected-ends.json');
  uptime = 1_000;
  boot = 'boot 1';
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = () => openUnexpectedEnds(file, () => uptime, boot);

/** Starts that each end with an error, this many seconds after the one before. */
function ends(...after: number[]): void {
  for (const seconds of after) {
    const run = start();
    uptime += seconds;
    run.note();
  }
}

/** Starts that are each cut off, this many seconds after the one before. */
function cuts(...after: number[]): void {
  for (const seconds of after) {
    start();
    uptime += seconds;
  }
}

describe('unexpected ends', () => {
  it('lead to a safe start at the third within a minute', () => {
    ends(1, 20);
    const second = start();
    expect(second.isSafeStart).toBe(false);
    uptime += 30;
    second.note();
    expect(start().isSafeStart).toBe(true);
  });

  it.each([
    [26, 3],
    [14, 11],
    [1, 28],
  ])('after runs of %i s, with pauses of %i s, lead to a safe start at the third', (runs, pauses) => {
    const safe: boolean[] = [];
    for (let cycle = 0; cycle < 4; cycle += 1) {
      const run = start();
      safe.push(run.isSafeStart);
      uptime += runs;
      run.note();
      uptime += pauses;
    }
    expect(safe).toEqual([false, false, false, true]);
  });

  it('must fall within a minute to lead to a safe start, which can follow any time later', () => {
    ends(1, 31, 31);
    const run = start();
    expect(run.isSafeStart).toBe(false);
    uptime += 5;
    run.note();
    uptime += 3_600;
    expect(start().isSafeStart).toBe(true);
  });

  it('lead to another safe start if one happens during a safe start, but not after it', () => {
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

  it('lead to only one safe start: after a requested end, the next start is ordinary', () => {
    ends(1, 1, 1);
    const safe = start();
    expect(safe.isSafeStart).toBe(true);
    safe.endsInOrder();
    expect(start().isSafeStart).toBe(false);
  });

  it('from before the machine was switched off do not count', () => {
    ends(1, 1);
    uptime = 1_010;
    boot = 'boot 2';
    const run = start();
    expect(run.isSafeStart).toBe(false);
    expect(run.note()).toBe(1);
  });

  it('of a store that cuts the power every evening lead to no safe start', () => {
    for (let morning = 0; morning < 10; morning += 1) {
      boot = `boot of morning ${morning}`;
      uptime = 20 + morning / 10;
      expect(start().isSafeStart).toBe(false);
    }
  });

  it('that could not be recorded count at the next start: killed, out of memory, no power', () => {
    cuts(10, 10);
    const third = start();
    expect([third.wasCutOff, third.isSafeStart]).toEqual([true, false]);
    uptime += 10;
    const fourth = start();
    expect([fourth.wasCutOff, fourth.isSafeStart]).toEqual([true, true]);
    // Cut off in its safe start, however late.
    uptime += 400;
    const fifth = start();
    expect(fifth.isSafeStart).toBe(true);
    fifth.safeStartOver();
    uptime += 100;
    expect(start().isSafeStart).toBe(false);
  });

  it('that could not be recorded count together with recorded ones, once each', () => {
    cuts(10);
    ends(10);
    expect(start().note()).toBe(3);
    const safe = start();
    expect([safe.wasCutOff, safe.isSafeStart]).toEqual([false, true]);
  });

  it('do not include ends that were requested or explained', () => {
    for (let times = 0; times < 5; times += 1) {
      const run = start();
      expect([run.wasCutOff, run.isSafeStart]).toEqual([false, false]);
      uptime += 1;
      run.endsInOrder();
    }
  });

  it('are counted for the program that starts it over', () => {
    const counted = [1, 2, 3].map(() => {
      uptime += 1;
      return start().note();
    });
    expect(counted).toEqual([1, 2, 3]);
  });

  it.each([
    '',
    '{',
    'null',
    '{"ends":[-1],"again":false}',
    '{"ends":["1"],"again":true}',
    '{"ends":[],"again":true,"running":1}',
    '[1,2,3]',
  ])('are none if the file contains %j, and the next one is stored', (content) => {
    writeFileSync(file, content);
    const run = start();
    expect([run.wasCutOff, run.isSafeStart]).toEqual([false, false]);
    expect(run.note()).toBe(1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ends: [1_000],
      boot,
      again: false,
      running: null,
    });
  });

  it('in the file of an earlier version count, even without data about run and boot', () => {
    boot = '';
    writeFileSync(file, '{"ends":[999],"again":true}');
    const run = start();
    expect([run.wasCutOff, run.isSafeStart]).toEqual([false, true]);
    expect(run.note()).toBe(2);
  });

  it('cannot be stored in a missing folder, and then no start is a safe start', () => {
    rmSync(folder, { recursive: true });
    const run = start();
    expect(run.isSafeStart).toBe(false);
    expect(() => run.note()).toThrow('ENOENT');
  });

  it('lead to a safe start exactly when the oracle says so, for any order of events', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('runs' as const), seconds: fc.integer({ min: 0, max: 100 }) }),
      fc.record({ kind: fc.constantFrom('ends', 'cut', 'asked'), pauses: fc.integer({ min: 0, max: 100 }) }),
      fc.constant({ kind: 'over' as const }),
      fc.record({ kind: fc.constant('reboots' as const), uptime: fc.integer({ min: 0, max: 10_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40, size: 'max' }), (events) => {
        rmSync(file, { force: true });
        uptime = 1_000;
        // The oracle counts ends in the last minute of this boot, and reads no file.
        let all: number[] = [];
        const forgetOld = () => {
          all = all.filter((at) => at <= uptime && at > uptime - 60);
        };
        const another = () => {
          forgetOld();
          all.push(uptime);
          return all.length >= 3;
        };
        let run = start();
        let isSafe = false;
        const next = (expected: boolean) => {
          isSafe = expected;
          forgetOld();
          run = start();
          expect(run.isSafeStart).toBe(isSafe);
        };
        const cutOff = () => {
          const isThird = another();
          next(isSafe || isThird);
        };
        for (const happened of events) {
          if (happened.kind === 'runs') uptime += happened.seconds;
          if (happened.kind === 'over') {
            run.safeStartOver();
            isSafe = false;
          }
          if (happened.kind === 'ends') {
            run.note();
            const isThird = another();
            uptime += happened.pauses;
            next(isSafe || isThird);
          }
          if (happened.kind === 'cut') {
            uptime += happened.pauses;
            cutOff();
          }
          if (happened.kind === 'asked') {
            run.endsInOrder();
            uptime += happened.pauses;
            next(false);
          }
          if (happened.kind === 'reboots') {
            ({ uptime } = happened);
            boot += '+';
            all = [];
            cutOff();
          }
        }
        // Ended in order, it starts as usual.
        run.endsInOrder();
        expect(start().isSafeStart).toBe(false);
      }),
    );
  });
});

it.each([
  ['an installed kiosk', true, [1], 1],
  ['an installed kiosk that ends again and again', true, [MAX_RESTARTS + 1], 1],
  ['one from source', false, [MAX_RESTARTS], 1],
  ['one from source that ends again and again', false, [MAX_RESTARTS + 1], 0],
  ['one that fails again while it ends', true, [1, 2], 1],
] as const)('%s is started over once, or not at all', (_which, isPackaged, counts, expected) => {
  let starts = 0;
  const end = createKioskEnd(isPackaged, () => {
    starts += 1;
  });
  expect(end.hasBegun()).toBe(false);
  for (const count of counts) end.beginUnexpected(count);
  expect([starts, end.hasBegun()]).toEqual([expected, true]);
});

it('a kiosk that fails while it ends in order is not started over', () => {
  let starts = 0;
  const end = createKioskEnd(true, () => {
    starts += 1;
  });
  expect([end.begin(), end.begin()]).toEqual([true, false]);
  end.beginUnexpected(1);
  expect(starts).toBe(0);
});
