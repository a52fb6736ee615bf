import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createJsGuests, type GuestListener } from './js-guests';

function world() {
  const time = handTurnedTime();
  const opened: Array<{ guest: string; script: string; listener: GuestListener }> = [];
  const closed: string[] = [];
  const lingering: Array<() => void> = [];
  let refuse = false;
  let ids = 0;
  const guests = createJsGuests({
    host: {
      async open(guest, script, listener) {
        if (refuse) throw new Error('no window');
        opened.push({ guest, script, listener });
      },
      placeNeeded: () => new Promise((needed) => void lingering.push(needed)),
      close: (guest) => void closed.push(guest),
    },
    clock: time.clock,
    schedule: time.schedule,
    newId: () => {
      ids += 1;
      return `guest-${ids}`;
    },
    log: silentLog,
  });
  return {
    time,
    guests,
    opened,
    closed,
    /** The place of a lingering guest is needed. */
    needPlace: () => lingering.shift()?.(),
    refuse: () => {
      refuse = true;
    },
  };
}

describe('JavaScript beacons', () => {
  it('are recorded as run when their page reports it, and destroyed a little later', async () => {
    const kiosk = world();
    const outcome = kiosk.guests.run('ping()');
    await kiosk.time.advance(120);
    kiosk.opened[0]?.listener.reported('ran', null);
    await kiosk.time.advance(2999);
    expect(kiosk.closed).toEqual([]);
    await kiosk.time.advance(1);
    expect(kiosk.closed).toEqual(['guest-1']);
    expect(await outcome).toEqual({ result: 'ran', detail: null, tookMs: 120 });
  });

  it.each([
    ['ran', 'blocked', 'the fence: 10.0.0.1'],
    ['not-loaded', 'blocked', 'the fence: 10.0.0.1'],
    ['threw', 'threw', 'in its words'],
  ] as const)('that report %s and had a request blocked end as %s', async (word, result, detail) => {
    const kiosk = world();
    const outcome = kiosk.guests.run('x');
    await kiosk.time.settle();
    kiosk.opened[0]?.listener.reported(word, 'in its words');
    await kiosk.time.advance(1000);
    kiosk.opened[0]?.listener.blocked('the fence: 10.0.0.1');
    kiosk.opened[0]?.listener.blocked('something else');
    await kiosk.time.advance(2000);
    expect(await outcome).toMatchObject({ result, detail });
  });

  it.each(['reported', 'blocked', 'crashed'] as const)(
    'cannot fill log and books with an endless text: %s',
    async (how) => {
      const kiosk = world();
      const outcome = kiosk.guests.run('x');
      await kiosk.time.settle();
      const endless = '\ud83d\ude00'.repeat(100_000);
      const listener = kiosk.opened[0]?.listener;
      if (how === 'blocked') listener?.blocked(endless);
      if (how === 'crashed') listener?.crashed(endless);
      else listener?.reported(how === 'reported' ? 'threw' : 'ran', endless);
      await kiosk.time.advance(3000);
      const { detail } = await outcome;
      expect(detail?.length).toBeLessThanOrEqual(200);
      expect(detail?.isWellFormed()).toBe(true);
    },
  );

  it('end as threw if a file is missing that the kiosk did not block', async () => {
    const kiosk = world();
    const outcome = kiosk.guests.run('x');
    await kiosk.time.settle();
    kiosk.opened[0]?.listener.reported('not-loaded', 'a script could not be loaded');
    await kiosk.time.advance(3000);
    expect(await outcome).toMatchObject({ result: 'threw', detail: 'a script could not be loaded' });
  });

  it('are destroyed at their deadline when they say nothing', async () => {
    const kiosk = world();
    const outcome = kiosk.guests.run('for (;;);');
    await kiosk.time.advance(10_000);
    expect(await outcome).toMatchObject({ result: 'timed-out', tookMs: 10_000 });
    expect(kiosk.closed).toEqual(['guest-1']);
  });

  it('are recorded with their error, their crash, or why no guest was opened', async () => {
    const kiosk = world();
    const threw = kiosk.guests.run('throw 1');
    const crashed = kiosk.guests.run('crash');
    await kiosk.time.settle();
    kiosk.opened[0]?.listener.reported('threw', 'Uncaught 1');
    kiosk.opened[1]?.listener.crashed('oom');
    await kiosk.time.advance(3000);
    expect(await threw).toMatchObject({ result: 'threw', detail: 'Uncaught 1' });
    expect(await crashed).toMatchObject({ result: 'crashed', detail: 'oom' });
    kiosk.refuse();
    expect(await kiosk.guests.run('x')).toMatchObject({ result: 'refused', detail: 'no window' });
  });

  it('run at most four at once, and a lingering one does not count', async () => {
    const kiosk = world();
    const all = ['a', 'b', 'c', 'd', 'e'].map((script) => kiosk.guests.run(script));
    await kiosk.time.settle();
    expect(kiosk.opened.map(({ script }) => script)).toEqual(['a', 'b', 'c', 'd']);
    kiosk.opened[0]?.listener.reported('ran', null);
    await kiosk.time.settle();
    expect(kiosk.opened.map(({ script }) => script)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(kiosk.closed).toEqual([]);
    for (const { listener } of kiosk.opened) listener.reported('ran', null);
    await kiosk.time.advance(3000);
    await Promise.all(all);
    for (const script of ['f', 'g', 'h', 'i', 'j']) void kiosk.guests.run(script);
    await kiosk.time.settle();
    expect(kiosk.opened.slice(5).map(({ script }) => script)).toEqual(['f', 'g', 'h', 'i']);
  });

  it('that linger are closed once their place is needed, but may send for a second after they ran', async () => {
    const kiosk = world();
    const outcomes = ['early()', 'late()'].map((script) => kiosk.guests.run(script));
    await kiosk.time.settle();
    for (const { listener } of kiosk.opened) listener.reported('ran', null);
    await kiosk.time.settle();
    kiosk.needPlace();
    await kiosk.time.advance(999);
    expect(kiosk.closed).toEqual([]);
    await kiosk.time.advance(1);
    expect(kiosk.closed).toEqual(['guest-1']);
    await kiosk.time.advance(500);
    kiosk.needPlace();
    await kiosk.time.settle();
    expect(kiosk.closed).toEqual(['guest-1', 'guest-2']);
    expect(await Promise.all(outcomes)).toMatchObject([{ result: 'ran' }, { result: 'ran' }]);
  });

  it('of one ad delay those of another ad by one turn only', async () => {
    const kiosk = world();
    for (const script of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'])
      void kiosk.guests.run(script, { instance: 'a' });
    void kiosk.guests.run('b1', { instance: 'b' });
    await kiosk.time.advance(20_000);
    expect(kiosk.opened.map(({ script }) => script).slice(0, 6)).toEqual([
      'a1',
      'a2',
      'a3',
      'a4',
      'a5',
      'b1',
    ]);
  });

  it('are refused if a hundred of their own ad already wait', async () => {
    const kiosk = world();
    const ends: string[] = [];
    for (let number = 0; number < 1_000; number += 1)
      void kiosk.guests.run('for (;;);', { instance: 'a' }).then(({ result }) => ends.push(result));
    const other = kiosk.guests.run('ping()', { instance: 'b' });
    await kiosk.time.settle();
    expect([ends.length, new Set(ends)]).toEqual([896, new Set(['refused'])]);
    await kiosk.time.advance(20_000);
    expect((await other).result).toBe('timed-out');
  });

  it('of an ad are not refused because a thousand of other ads wait', async () => {
    const kiosk = world();
    for (let ad = 0; ad < 11; ad += 1)
      for (let number = 0; number < 100; number += 1)
        void kiosk.guests.run('for (;;);', { instance: `ad-${ad}` });
    let end = '';
    void kiosk.guests.run('ping()', { instance: 'good' }).then(({ result }) => {
      end = result;
    });
    await kiosk.time.advance(180_000);
    expect(kiosk.opened.map(({ script }) => script)).toContain('ping()');
    expect(end).not.toBe('refused');
  });

  it('count only the first report', async () => {
    const kiosk = world();
    const outcome = kiosk.guests.run('x');
    await kiosk.time.settle();
    kiosk.opened[0]?.listener.reported('threw', 'first');
    kiosk.opened[0]?.listener.reported('ran', null);
    kiosk.opened[0]?.listener.crashed('late');
    await kiosk.time.advance(20_000);
    expect(await outcome).toMatchObject({ result: 'threw', detail: 'first' });
    expect(kiosk.closed).toEqual(['guest-1']);
  });
});
