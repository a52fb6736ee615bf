import { expect, it } from 'vitest';
import { reportSystemClock } from './report-system-clock';
import { createStatusBoard } from './status-board';

const buildDate = Date.UTC(2026, 10, 20);

function told(system: number, trustedAt: number | null) {
  const at = { system, trustedAt };
  const board = createStatusBoard(() => system);
  const clock = { systemNow: () => at.system, lastTrustedAt: () => at.trustedAt };
  const look = reportSystemClock(board.tell, clock, buildDate);
  look();
  return { at, look, attention: () => board.told().attention };
}

it('a system clock before the build is a problem, with advice', () => {
  const { attention, look } = told(Date.UTC(1970, 0, 1), null);
  expect(attention()).toMatchObject([
    {
      code: 'system-clock-wrong',
      message: expect.stringContaining('1970-01-01T00:00:00.000Z'),
      advice: expect.stringContaining('Set the date'),
    },
  ]);
  look();
  expect(attention()).toHaveLength(1);
});

it('the problem ends once the service has told the time, or the clock was set', () => {
  const heard = told(0, null);
  heard.at.trustedAt = buildDate;
  heard.look();
  expect(heard.attention()).toEqual([]);
  const set = told(0, null);
  set.at.system = buildDate;
  set.look();
  expect(set.attention()).toEqual([]);
});

it.each([
  [buildDate, null],
  [0, buildDate],
])('none with the system at %d, trusted at %s', (system, trustedAt) => {
  expect(told(system, trustedAt).attention()).toEqual([]);
});
