import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { anAd } from '../decisioning/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createOnlineSlots, type OnlineAnswer } from './online-slots';
import { oneFileEach } from './testing/one-file-each';

/** A service one answers for, and a disk one can put files on. */
function world(delivery: 'online' | 'auto' = 'online') {
  const time = handTurnedTime();
  const onDisk = new Set<string>();
  const asked: number[] = [];
  const waiting: Array<(answer: OnlineAnswer) => void> = [];
  let told: (url: string, ready: boolean) => void = () => {};
  let changes = 0;
  const wanted: string[][] = [];
  const slots = createOnlineSlots({
    delivery,
    request: (deadlineMs) => {
      asked.push(deadlineMs);
      return new Promise((resolve) => waiting.push(resolve));
    },
    files: oneFileEach((url) => onDisk.has(url)),
    media: {
      want: (_who, media) => void wanted.push(media.map(({ url }) => url)),
      onChange: (listener) => {
        told = listener;
      },
    },
    clock: time.clock,
    schedule: time.schedule,
    log: silentLog,
    changed: () => {
      changes += 1;
    },
  });
  return {
    time,
    slots,
    asked,
    wanted,
    changes: () => changes,
    began: (lengthMs = 10_000) => slots.slotBegan(time.clock.now() + lengthMs),
    async answer(answer: OnlineAnswer) {
      waiting.shift()?.(answer);
      await time.settle();
    },
    arrive(url: string) {
      onDisk.add(url);
      told(url, true);
    },
  };
}

const ads = (id: string): OnlineAnswer => ({ kind: 'ads', ads: [anAd({}, `u:${id}`, id)] });

describe('online delivery', () => {
  it('asks for the next slot while this one runs, with a deadline that leaves time to load', async () => {
    const kiosk = world();
    kiosk.began(10_000);
    expect(kiosk.asked).toEqual([3000]);
    kiosk.began(2500);
    expect(kiosk.asked).toEqual([3000, 1000]);
  });

  it('asks nothing when the slot is too short for an answer', () => {
    const kiosk = world();
    kiosk.began(1600);
    expect(kiosk.asked).toEqual([]);
  });

  it('offers the ad only once its media are on disk, and only for one slot', async () => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect(kiosk.slots.candidate()).toBeNull();
    expect(kiosk.wanted).toEqual([['u:a']]);
    kiosk.arrive('u:a');
    expect(kiosk.changes()).toBe(1);
    expect(kiosk.slots.candidate()?.id).toBe('a');
    kiosk.slots.taken();
    expect(kiosk.slots.candidate()).toBeNull();
  });

  it('drops what was asked for an earlier slot', async () => {
    const kiosk = world();
    kiosk.arrive('u:late');
    kiosk.began();
    kiosk.began();
    await kiosk.answer(ads('late'));
    expect(kiosk.slots.candidate()).toBeNull();
  });

  it.each<[string, OnlineAnswer]>([
    ['no fill', { kind: 'no-fill' }],
    ['a failure', { kind: 'failed', code: 'timeout' }],
    ['ads that cannot be shown here', { kind: 'ads', ads: [{ ...anAd(), mediaFiles: [] }] }],
  ])('leaves the slot to the playlist after %s', async (_case, answer) => {
    const kiosk = world();
    kiosk.began();
    await kiosk.answer(answer);
    expect(kiosk.slots.candidate()).toBeNull();
    expect(kiosk.changes()).toBe(0);
  });

  it('asks again now and then while nothing is on the screen, and stops when told to', async () => {
    const kiosk = world();
    kiosk.slots.idle();
    expect(kiosk.asked).toHaveLength(1);
    await kiosk.time.advance(5000);
    expect(kiosk.asked).toHaveLength(2);
    kiosk.slots.stop();
    await kiosk.time.advance(60_000);
    expect(kiosk.asked).toHaveLength(2);
  });
});

describe('automatic delivery', () => {
  async function probe(kiosk: ReturnType<typeof world>, answer: OnlineAnswer) {
    const before = kiosk.asked.length;
    while (kiosk.asked.length === before) {
      await kiosk.time.advance(1000);
      kiosk.began();
    }
    await kiosk.answer(answer);
  }

  it('begins with the playlist, goes online after good probes, and back after failures in a row', async () => {
    const kiosk = world('auto');
    kiosk.arrive('u:a');
    kiosk.began();
    await kiosk.answer(ads('a'));
    expect([kiosk.slots.active(), kiosk.slots.candidate()]).toEqual([false, null]);
    await probe(kiosk, ads('a'));
    await probe(kiosk, ads('a'));
    expect(kiosk.slots.active()).toBe(true);
    await probe(kiosk, ads('a'));
    expect(kiosk.slots.candidate()?.id).toBe('a');
    for (let failures = 0; failures < 3; failures += 1) {
      expect(kiosk.slots.active()).toBe(true);
      await probe(kiosk, { kind: 'failed', code: 'timeout' });
    }
    expect(kiosk.slots.active()).toBe(false);
  });
});
