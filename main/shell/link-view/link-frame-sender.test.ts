import { describe, expect, it } from 'vitest';
import type { LinkFrame } from '../../../shared/link';
import { LinkFrameSender } from './link-frame-sender';

/** A frame around a page, and a clock that is moved by hand. */
function openFrame() {
  let tick = () => {};
  const sent: LinkFrame[] = [];
  let idle = 0;
  const sender = new LinkFrameSender({
    send: ({ frame }) => frame && sent.push(frame),
    schedule(_ms, run) {
      tick = run;
      return () => {
        tick = () => {};
      };
    },
    language: 'en',
    onOpened: () => {},
    onIdle: () => {
      idle += 1;
    },
  });
  const open = () => sender.show({ kind: 'page', url: 'https://shop.example/', state: 'open' });
  open();
  return {
    sender,
    open,
    pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) tick();
    },
    left: () => sent.at(-1)?.secondsLeft,
    isIdle: () => idle > 0,
  };
}

describe('the idle countdown of the link view', () => {
  it('ends the visit after a minute without a touch', () => {
    const frame = openFrame();
    frame.pass(59);
    expect([frame.left(), frame.isIdle()]).toEqual([1, false]);
    frame.pass(1);
    expect(frame.isIdle()).toBe(true);
  });

  it.each([
    ['touchStart', 59],
    ['mouseDown', 59],
    ['mouseMove', 9],
  ])('after %s has %i seconds left', (type, left) => {
    const frame = openFrame();
    frame.pass(50);
    frame.sender.touched(type);
    frame.pass(1);
    expect(frame.left()).toBe(left);
  });

  it('restarts at three minutes with each request for more time, and with each later touch', () => {
    const frame = openFrame();
    for (let times = 0; times < 12; times += 1) {
      frame.pass(55);
      frame.sender.giveMoreTime();
      expect(frame.left()).toBe(180);
    }
    frame.pass(100);
    frame.sender.touched('touchStart');
    frame.pass(179);
    expect(frame.isIdle()).toBe(false);
    frame.pass(1);
    expect(frame.isIdle()).toBe(true);
  });

  it('starts at one minute again for the next shopper', () => {
    const frame = openFrame();
    frame.sender.giveMoreTime();
    frame.sender.end();
    frame.open();
    expect(frame.left()).toBe(60);
  });
});
