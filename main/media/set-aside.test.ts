import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createSetAside } from './set-aside';

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
