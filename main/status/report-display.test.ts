import { expect, it } from 'vitest';
import type { DisplayPower } from '../shell/display-switch/display-control';
import type { Fact } from './facts';
import { reportDisplay } from './report-display';

it('a display that is not as it should be needs attention, until it is', () => {
  const told: Fact[] = [];
  const report = reportDisplay((fact) => told.push(fact));
  const power: DisplayPower = { how: 'ddc', on: true, until: null, by: 'hours', problem: null };
  report(null);
  report(power);
  expect(told).toEqual([]);
  const failing = { ...power, problem: 'The display could not be switched off: ddc: no answer.' };
  report(failing);
  report(failing);
  report(power);
  expect(told).toMatchObject([
    { kind: 'attention', problem: { code: 'display-not-switched', message: failing.problem } },
    { kind: 'attention-over', code: 'display-not-switched' },
  ]);
});
