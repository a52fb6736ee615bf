import { expect, it } from 'vitest';
import { disturbancesOf, KINDS } from './disturbances';

const FLEET = { kiosks: 3, replicas: 2 };

it('the same seed gives the same disturbances', () => {
  expect(disturbancesOf(7, 50, FLEET)).toEqual(disturbancesOf(7, 50, FLEET));
  expect(disturbancesOf(7, 50, FLEET)).not.toEqual(disturbancesOf(8, 50, FLEET));
});

it('all kinds of disturbances hit every kiosk and replica, at every moment of a request', () => {
  const disturbances = disturbancesOf(7, 50, FLEET);
  const met = <Key extends keyof (typeof disturbances)[number]>(key: Key) =>
    new Set(disturbances.map((disturbance) => disturbance[key]));
  expect(met('kind')).toEqual(new Set(KINDS));
  expect(met('kiosk')).toEqual(new Set([0, 1, 2]));
  expect(met('replica')).toEqual(new Set([0, 1]));
  expect(met('moment')).toEqual(new Set(['sending', 'working', 'answering', null]));
});
