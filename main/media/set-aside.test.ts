import { describe, expect, it, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { afterStrike, createSetAside, isSetAsideForLong, setAsideMs } from './set-aside';

const URL = 'https://media.test/a.png';
const DAY_MS = 86_400_000;
const version = { content: 'sha', etag: null, lastModified: null };

function setAside() {
  const time = handTurnedTime(0);
  return { time, aside: createSetAside({ clock: time.clock, log: silentLog }, () => version.content) };
}

test('a strike that is taken back leaves the one before it in force', () => {
  const { aside } = setAside();
  const takeBackFirst = aside.strike(URL, version);
  const before = aside.strikeOf(URL);
  const takeBack = aside.strike(URL, version);
  takeBackFirst();
  expect(aside.strikeOf(URL)).not.toEqual(before);
  takeBack();
  expect(aside.strikeOf(URL)).toEqual(before);
  takeBackFirst();
  expect([...aside.urls()]).toEqual([]);
});

test('strikes are forgotten a day later, once no answer names their file', async () => {
  const { aside, time } = setAside();
  aside.strike(URL, version);
  await time.advance(DAY_MS - 1);
  aside.keepOnly(new Set());
  expect([...aside.urls()]).toEqual([URL]);
  await time.advance(1);
  aside.keepOnly(new Set([URL]));
  expect([...aside.urls()]).toEqual([URL]);
  aside.keepOnly(new Set());
  expect([...aside.urls()]).toEqual([]);
});

describe('strikes', () => {
  it('set a file aside for half a minute, two minutes, then a day', () => {
    let strike = afterStrike(undefined, version, 0);
    expect(setAsideMs(strike, 0)).toBe(30_000);
    strike = afterStrike(strike, version, 30_000);
    expect(setAsideMs(strike, 30_000)).toBe(120_000);
    expect(isSetAsideForLong(strike)).toBe(false);
    strike = afterStrike(strike, version, 150_000);
    expect(setAsideMs(strike, 150_000)).toBe(DAY_MS);
    expect(isSetAsideForLong(strike)).toBe(true);
    expect(setAsideMs(strike, 150_000 + DAY_MS)).toBe(0);
  });

  it('start again for changed content, and after a day', () => {
    const once = afterStrike(undefined, version, 0);
    expect(afterStrike(once, { ...version, content: 'c2' }, 1).count).toBe(1);
    expect(afterStrike(once, version, DAY_MS - 1).count).toBe(2);
    expect(afterStrike(once, version, DAY_MS).count).toBe(1);
  });
});
