import { expect, it } from 'vitest';
import { KINDS, strikesOf } from './strikes';

const FLEET = { kiosks: 3, replicas: 2 };

it('the same seed gives the same strikes', () => {
  expect(strikesOf(7, 50, FLEET)).toEqual(strikesOf(7, 50, FLEET));
  expect(strikesOf(7, 50, FLEET)).not.toEqual(strikesOf(8, 50, FLEET));
});

it('all kinds of strikes hit every kiosk and replica, at every moment of a request', () => {
  const strikes = strikesOf(7, 50, FLEET);
  const met = <Key extends keyof (typeof strikes)[number]>(key: Key) =>
    new Set(strikes.map((strike) => strike[key]));
  expect(met('kind')).toEqual(new Set(KINDS));
  expect(met('kiosk')).toEqual(new Set([0, 1, 2]));
  expect(met('replica')).toEqual(new Set([0, 1]));
  expect(met('moment')).toEqual(new Set(['sending', 'working', 'answering', null]));
});
