import { describe, expect, it } from 'vitest';
import type { RpcPort } from '../../shared/rpc';
import { picturePoint, untilNeeded } from './admin-overlay';
import type { OverlayProps } from './overlay';

const WINDOW = { width: 1080, height: 1920 };

describe('a press on a rotated picture', () => {
  // Where the picture's own top-left corner lies in the window.
  const corners: ReadonlyArray<[OverlayProps['rotation'], number, number]> = [
    [0, 0, 0],
    [90, 1080, 0],
    [180, 1080, 1920],
    [270, 0, 1920],
  ];
  it.each(corners)('has its origin at the visible top left corner: %i°', (rotation, x, y) => {
    expect(picturePoint({ x, y, ...WINDOW }, rotation)).toMatchObject({ x: 0, y: 0 });
  });

  it.each(corners)('stays within the picture and uses its size: %i°', (rotation) => {
    const seen = picturePoint({ x: 100, y: 300, ...WINDOW }, rotation);
    const turned = rotation === 90 || rotation === 270;
    expect(seen).toMatchObject(turned ? { width: 1920, height: 1080 } : { width: 1080, height: 1920 });
    expect(seen.x).toBeLessThan(seen.width);
    expect(seen.y).toBeLessThan(seen.height);
  });

  it('moves right on the picture when it moves down in a window rotated by 90°', () => {
    const above = picturePoint({ x: 500, y: 100, ...WINDOW }, 90);
    const below = picturePoint({ x: 500, y: 200, ...WINDOW }, 90);
    expect(below.x).toBeGreaterThan(above.x);
    expect(below.y).toBe(above.y);
  });
});

describe('an overlay that is not loaded, or has thrown', () => {
  const closed = { overlay: { view: 'closed' }, maintenanceUntil: null };
  const news = (state: object) => ({ tell: 'news', value: { kind: 'overlay', state } });

  it.each<[string, boolean, unknown]>([
    ['main has it open', true, news({ ...closed, overlay: { view: 'locked' } })],
    ['the kiosk is paused', true, news({ ...closed, maintenanceUntil: 1 })],
    ['a press was reported', true, { call: 0, ok: true, output: null }],
    ['main has it closed', false, news(closed)],
    ['main answers that it is closed', false, { call: 0, ok: true, output: closed }],
    // An overlay that throws at each answer would come back at the next one, without end.
    ['an answer to the one that threw is late', false, { call: 7, ok: true, output: {} }],
  ])('when %s, it is needed: %s', (_case, isNeeded, message) => {
    let hear = (_message: unknown) => {};
    let loads = 0;
    const bridge: RpcPort = {
      send: () => {},
      onMessage(listener) {
        hear = listener;
      },
    };
    const port = untilNeeded(bridge, () => {
      loads += 1;
    });
    hear(message);
    expect(loads).toBe(isNeeded ? 1 : 0);
    const heard: unknown[] = [];
    port.onMessage((each) => heard.push(each));
    expect(heard).toEqual([message]);
  });
});
