import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { MRAID, VIEWABLE_EVENTS } from './mraid';

/** The container in a page of 300 × 250 px, and the events that it dispatched, in order. */
function page() {
  const target = new EventTarget();
  const sandbox: Record<string, unknown> = {
    innerWidth: 300,
    innerHeight: 250,
    addEventListener: target.addEventListener.bind(target),
    reportError: () => {},
  };
  sandbox.window = sandbox;
  const context = createContext(sandbox);
  runInContext(MRAID, context);
  const told: unknown[] = [];
  sandbox.tell = (...what: unknown[]) => void told.push(what);
  const run = (code: string): unknown => runInContext(code, context);
  run(`for (const event of ['ready', 'stateChange', 'viewableChange', 'exposureChange'])
    mraid.addEventListener(event, (...details) => tell(event, ...JSON.parse(JSON.stringify(details))))`);
  return {
    run,
    /** The events since the last call. */
    told: () => JSON.parse(JSON.stringify(told.splice(0))) as unknown,
    happens: (event: string) => void target.dispatchEvent(new Event(event)),
    isViewable: () => run('mraid.isViewable()'),
  };
}

const WHOLE = { x: 0, y: 0, width: 300, height: 250 };

test('a banner is ready once it is loaded, and not viewable before its slot begins (rules 16 and 17)', () => {
  const banner = page();
  expect([banner.run('mraid.getState()'), banner.isViewable()]).toEqual(['loading', false]);
  banner.happens('load');
  expect(banner.told()).toEqual([['ready'], ['stateChange', 'default']]);
  expect([banner.run('mraid.getState()'), banner.isViewable()]).toEqual(['default', false]);
});

test('a banner is viewable from the first to the last frame of its slot, and gets each event once', () => {
  const banner = page();
  banner.happens('load');
  banner.told();
  for (const _twice of [1, 2]) banner.happens(VIEWABLE_EVENTS.shown);
  expect(banner.isViewable()).toBe(true);
  expect(banner.told()).toEqual([
    ['viewableChange', true],
    ['exposureChange', 100, WHOLE, null],
  ]);
  for (const _twice of [1, 2]) banner.happens(VIEWABLE_EVENTS.gone);
  expect(banner.isViewable()).toBe(false);
  expect(banner.told()).toEqual([
    ['viewableChange', false],
    ['exposureChange', 0, null, null],
  ]);
});

test('a banner that is shown before it has loaded is viewable as soon as it is ready', () => {
  const banner = page();
  banner.happens(VIEWABLE_EVENTS.shown);
  expect([banner.isViewable(), banner.told()]).toEqual([false, []]);
  banner.happens('load');
  expect(banner.told()).toEqual([
    ['ready'],
    ['stateChange', 'default'],
    ['viewableChange', true],
    ['exposureChange', 100, WHOLE, null],
  ]);
});

test('a banner that loads the MRAID file again keeps its first container', () => {
  const banner = page();
  banner.run('window.first = mraid');
  banner.run(MRAID);
  expect(banner.run('window.first === mraid')).toBe(true);
});
