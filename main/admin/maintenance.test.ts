import { mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { openMaintenance } from './maintenance';
import { NOW } from './testing/admin-world';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-pause-'));
});
// The file may still be written.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

const MINUTE = 60_000;

/** A start of the kiosk this long after `NOW`. */
async function start(afterMs = 0) {
  const time = handTurnedTime(NOW);
  time.pass(afterMs);
  const pause = await openMaintenance(join(folder, 'maintenance.json'), { ...time, log: silentLog });
  return { pause, time };
}

/** Waits until the file names this end. */
const noted = (until: number) =>
  expect.poll(() => readFile(join(folder, 'maintenance.json'), 'utf8')).toContain(`"until":${until}}`);

describe('a pause for maintenance', () => {
  it('ends by itself, and reports the change', async () => {
    const { pause, time } = await start();
    let changes = 0;
    pause.onChange(() => {
      changes += 1;
    });
    await pause.begin(10);
    expect(pause.until()).toBe(NOW + 10 * MINUTE);
    time.pass(10 * MINUTE);
    expect([pause.until(), changes]).toEqual([null, 2]);
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it('continues after a restart until its end', async () => {
    await (await start()).pause.begin(30);
    const { pause, time } = await start(12 * MINUTE);
    expect(pause.until()).toBe(NOW + 30 * MINUTE);
    time.pass(18 * MINUTE);
    expect(pause.until()).toBeNull();
  });

  it('is over when the kiosk comes back later than its end', async () => {
    await (await start()).pause.begin(30);
    const { pause } = await start(31 * MINUTE);
    expect([pause.until(), await readdir(folder)]).toEqual([null, []]);
  });

  describe('that cannot be read for a moment', () => {
    const file = () => join(folder, 'maintenance.json');
    async function startUnread() {
      await (await start()).pause.begin(30);
      await rename(file(), `${file()}.good`);
      // A link to itself: reading fails, as from a bad disk.
      await symlink(file(), file());
      const started = await start(10 * MINUTE);
      expect(started.pause.until()).toBeNull();
      started.time.pass(10_000);
      await rename(`${file()}.good`, file());
      return started;
    }

    it('continues as soon as it can be read', async () => {
      const { pause, time } = await startUnread();
      let changes = 0;
      pause.onChange(() => {
        changes += 1;
      });
      await expect
        .poll(() => {
          time.pass(10_000);
          return pause.until();
        })
        .toBe(NOW + 30 * MINUTE);
      await expect.poll(() => changes).toBe(1);
    });

    it.each([
      ['gives way to a new one', 'begin', NOW + 15 * MINUTE + 10_000],
      ['does not return once it was ended', 'end', null],
    ] as const)('%s', async (_what, how, until) => {
      const { pause, time } = await startUnread();
      await pause[how](5);
      time.pass(10_000);
      await time.settle();
      expect([pause.until(), (await start(11 * MINUTE)).pause.until()]).toEqual([until, until]);
    });
  });

  it('is never longer than ordered, even if the clock went back by years', async () => {
    await (await start(5 * 365 * 24 * 60 * MINUTE)).pause.begin(30);
    const { pause } = await start();
    expect(pause.until()).toBe(NOW + 30 * MINUTE);
  });

  it('says its end by a clock that was set meanwhile', async () => {
    const time = handTurnedTime(NOW);
    let setBy = 0;
    const clock = { ...time.clock, now: () => time.clock.now() + setBy };
    const parts = { ...time, clock, log: silentLog };
    const pause = await openMaintenance(join(folder, 'maintenance.json'), parts);
    await pause.begin(30);
    time.pass(10 * MINUTE);
    setBy = 24 * 60 * MINUTE;
    expect(pause.until()).toBe(clock.now() + 20 * MINUTE);
    time.pass(20 * MINUTE);
    expect(pause.until()).toBeNull();
  });

  it.each([
    ['behind', -3],
    ['ahead', 365],
  ])('that began by a clock %s keeps its end over a restart once the clock is right', async (_how, days) => {
    const time = handTurnedTime(NOW);
    let setBy = days * 24 * 60 * MINUTE;
    const clock = { ...time.clock, now: () => time.clock.now() + setBy };
    const pause = await openMaintenance(join(folder, 'maintenance.json'), { ...time, clock, log: silentLog });
    await pause.begin(30);
    time.pass(10 * MINUTE);
    setBy = 0;
    time.pass(MINUTE);
    await noted(NOW + 30 * MINUTE);
    expect((await start(12 * MINUTE)).pause.until()).toBe(NOW + 30 * MINUTE);
  });

  it('is not prolonged by each restart after the clock went back by years', async () => {
    await (await start(5 * 365 * 24 * 60 * MINUTE)).pause.begin(30);
    (await start()).time.pass(10_000);
    await noted(NOW + 30 * MINUTE);
    expect((await start(20 * MINUTE)).pause.until()).toBe(NOW + 30 * MINUTE);
  });

  it.each([
    ['a machine that was off beyond its end', 12 * 60, null],
    ['a machine that was off for 20 minutes', 20, NOW + 30 * MINUTE],
  ])('ends by the clock that becomes right after the start: %s', async (_name, offMinutes, until) => {
    await (await start()).pause.begin(30);
    // Its clock stood still while it was off.
    const time = handTurnedTime(NOW);
    let setBy = 0;
    const clock = { ...time.clock, now: () => time.clock.now() + setBy };
    const pause = await openMaintenance(join(folder, 'maintenance.json'), { ...time, clock, log: silentLog });
    expect(pause.until()).toBe(NOW + 30 * MINUTE);
    setBy = offMinutes * MINUTE;
    time.pass(MINUTE);
    expect(pause.until()).toBe(until);
    time.pass(10 * MINUTE);
    expect(pause.until()).toBeNull();
  });

  it('that a clock ahead would end early after a restart ends in time once the clock is right', async () => {
    await (await start()).pause.begin(30);
    const time = handTurnedTime(NOW);
    let setBy = 20 * MINUTE;
    const clock = { ...time.clock, now: () => time.clock.now() + setBy };
    const pause = await openMaintenance(join(folder, 'maintenance.json'), { ...time, clock, log: silentLog });
    expect(pause.until()).toBe(NOW + 30 * MINUTE);
    time.pass(MINUTE);
    setBy = 0;
    time.pass(28 * MINUTE);
    expect(pause.until()).toBe(NOW + 30 * MINUTE);
    expect((await start(29 * MINUTE)).pause.until()).toBe(NOW + 30 * MINUTE);
    time.pass(MINUTE);
    expect(pause.until()).toBeNull();
  });

  it.each([
    ['continues', 20, NOW + 30 * MINUTE],
    ['is removed', 40, null],
  ])('that a clock far ahead has ended %s once the clock is trusted', async (_how, afterMinutes, until) => {
    await (await start()).pause.begin(30);
    const time = handTurnedTime(NOW);
    let isTrusted = false;
    const now = () => time.clock.now() + (isTrusted ? afterMinutes * MINUTE : 8 * 24 * 60 * MINUTE);
    const clock = { ...time.clock, now, isTrusted: () => isTrusted };
    const pause = await openMaintenance(join(folder, 'maintenance.json'), { ...time, clock, log: silentLog });
    await time.advance(MINUTE);
    expect([pause.until(), await readdir(folder)]).toEqual([null, ['maintenance.json']]);
    isTrusted = true;
    await expect
      .poll(async () => {
        await time.advance(10_000);
        return [pause.until(), (await readdir(folder)).length];
      })
      .toEqual([until, until === null ? 0 : 1]);
  });

  it('that was ended early does not return after a restart', async () => {
    const first = await start();
    await first.pause.begin(30);
    await first.pause.end();
    expect((await start()).pause.until()).toBeNull();
  });

  it.each(['', '{"version":1', '{"version":1,"minutes":1e9,"until":1e300}'])(
    'is not restored from an invalid file: %j',
    async (text) => {
      await writeFile(join(folder, 'maintenance.json'), text);
      expect((await start()).pause.until()).toBeNull();
    },
  );
});
