import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { createRecordsClient } from '../records/records-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { watchLiveness } from './liveness';
import { superviseRecordsWindow } from './records-window';
import { createRestartBudget, MAX_RESTARTS } from './unexpected-ends';

/**
 * The records window and its replacements, by number.
 *
 * @param isSlow a repair takes until `repaired` is called
 */
function supervised(isSlow = false) {
  const time = handTurnedTime();
  const { clock, schedule } = time;
  const done: string[] = [];
  const windows: BrowserWindow[] = [];
  let isEnding = false;
  let tellClosed = () => {};
  let repaired = () => {};
  const make = (): BrowserWindow => {
    const number = windows.length + 1;
    let isDestroyed = false;
    const gone = () => void webContents.emit('render-process-gone', {}, { reason: 'killed' });
    const webContents = Object.assign(new EventEmitter(), {
      isDestroyed: () => isDestroyed,
      getOSProcessId() {
        done.push(`kill ${number}`);
        queueMicrotask(gone);
        return 0;
      },
    });
    const window = Object.assign(new EventEmitter(), {
      webContents,
      isDestroyed: () => isDestroyed,
      destroy() {
        done.push(`close ${number}`);
        isDestroyed = true;
      },
    }) as unknown as BrowserWindow;
    done.push(`open ${number}`);
    windows.push(window);
    return window;
  };
  const base = { clock, schedule, log: silentLog, isEnding: () => isEnding };
  const liveness = watchLiveness({ ...base, giveUp: () => void done.push('give up') });
  const supervision = superviseRecordsWindow(
    {
      ...createRecordsClient(schedule),
      onDatabaseClosed(tell) {
        tellClosed = tell;
      },
    },
    {
      ...base,
      first: make(),
      make,
      liveness,
      mayReplace: createRestartBudget(clock.monotonic, () => void done.push('give up')),
      async repairDatabase() {
        done.push('repair');
        if (isSlow)
          await new Promise<void>((resolve) => {
            repaired = resolve;
          });
        done.push('repaired');
      },
      deleteDatabase: async () => void done.push('delete'),
      openPort: (_contents, _log, connect) =>
        void (windows.length > 1 && connect({ send() {}, onMessage() {} })),
      onBack: () => void done.push('back'),
    },
  );
  return {
    time,
    done,
    liveness,
    supervision,
    /** What happened since the last call. */
    since: () => done.splice(0),
    databaseClosed: () => tellClosed(),
    crash: () => void windows.at(-1)?.webContents.emit('render-process-gone', {}, { reason: 'crashed' }),
    repaired: () => repaired(),
    end() {
      isEnding = true;
    },
  };
}

describe('the records window', () => {
  it('is replaced when its process ends, at most five times in a minute; then the kiosk gives up', async () => {
    const { since, crash, time } = supervised();
    for (let times = 0; times < MAX_RESTARTS; times += 1) {
      since();
      crash();
      await time.settle();
      expect(since()).toEqual([`close ${times + 1}`, `open ${times + 2}`, 'back']);
    }
    crash();
    await time.settle();
    expect(since()).toEqual(['close 6', 'give up']);
  });

  it('is not replaced while the kiosk ends', async () => {
    const { since, crash, end, time } = supervised();
    end();
    crash();
    await time.settle();
    expect(since()).toEqual(['open 1', 'close 1']);
  });

  it('with a closed database is replaced once it is 15 s old, and the files are repaired in between', async () => {
    const { since, databaseClosed, time } = supervised();
    await time.advance(5_000);
    databaseClosed();
    await time.advance(9_999);
    expect(since()).toEqual(['open 1']);
    await time.advance(1);
    const replaced = ['kill 1', 'close 1', 'repair', 'repaired', 'open 2', 'back'];
    expect(since()).toEqual(replaced);
    await time.advance(18_000);
    databaseClosed();
    await time.advance(0);
    expect(since()[0]).toBe('kill 2');
  });

  it('with a database that closes at each opening never ends the kiosk', async () => {
    const { done, databaseClosed, time } = supervised();
    for (let times = 0; times < 20; times += 1) {
      databaseClosed();
      await time.advance(15_000);
    }
    expect(done.filter((what) => what === 'repaired')).toHaveLength(20);
    expect(done).not.toContain('give up');
  });

  it('is replaced without a repair where the database was not closed', async () => {
    const { since, crash, supervision, time } = supervised();
    crash();
    await time.settle();
    await supervision.replaceWindow(false);
    expect(since()).toEqual(['open 1', 'close 1', 'open 2', 'back', 'close 2', 'open 3']);
  });

  it('is replaced after a repair where an error may have torn the database', async () => {
    const { since, supervision } = supervised();
    await supervision.replaceWindow(true);
    expect(since()).toEqual(['open 1', 'close 1', 'repair', 'repaired', 'open 2']);
  });

  it('that is silent for 20 s is killed', async () => {
    const { since, time } = supervised();
    await time.advance(19_000);
    expect(since()).toEqual(['open 1']);
    await time.advance(2_000);
    expect(since().slice(0, 3)).toEqual(['kill 1', 'close 1', 'open 2']);
  });

  it('opens only after a repair, however long it takes, and there is never more than one', async () => {
    const { since, databaseClosed, crash, supervision, repaired, time } = supervised(true);
    databaseClosed();
    crash();
    const replaced = supervision.replaceWindow(false);
    await time.settle();
    expect(since()).toEqual(['open 1', 'close 1', 'repair']);
    repaired();
    await replaced;
    expect(since()).toEqual(['repaired', 'open 2', 'back', 'close 2', 'open 3']);
  });

  it('need not answer while its database is repaired, also for minutes', async () => {
    const { since, databaseClosed, crash, repaired, liveness, supervision, time } = supervised(true);
    databaseClosed();
    crash();
    await time.advance(120_000);
    expect(since()).toEqual(['open 1', 'close 1', 'repair']);
    expect(liveness.isWell()).toBe(true);
    // The local API does not call it well.
    expect(supervision.silentMs()).toBeNull();
    repaired();
    await time.settle();
    expect(since()).toEqual(['repaired', 'open 2', 'back']);
    expect(liveness.isWell()).toBe(false);
    await time.advance(21_000);
    expect(since()[0]).toBe('kill 2');
  });

  it('ends the kiosk if a repair never ends', async () => {
    const { since, databaseClosed, crash, time } = supervised(true);
    databaseClosed();
    crash();
    await time.advance(600_000);
    expect(since()).toEqual(['open 1', 'close 1', 'repair']);
    await time.advance(150_000);
    expect(since()[0]).toBe('give up');
  });

  it('does not open after a repair that the end of the kiosk overtook', async () => {
    const { since, databaseClosed, crash, end, repaired, time } = supervised(true);
    databaseClosed();
    crash();
    await time.settle();
    end();
    repaired();
    await time.settle();
    expect(since()).toEqual(['open 1', 'close 1', 'repair', 'repaired']);
  });

  it('opens on an empty database once that was deleted', async () => {
    const { since, supervision } = supervised();
    await supervision.deleteDatabase();
    expect(since()).toEqual(['open 1', 'close 1', 'delete', 'open 2']);
  });
});
