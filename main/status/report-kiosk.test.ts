import { expect, it, test } from 'vitest';
import { testCa } from '../egress/testing/test-ca';
import { Secret } from '../settings/secret';
import type { DisplayPower } from '../shell/display-switch/display-control';
import type { Fact } from './facts';
import {
  reportClientCertificates,
  reportDisplay,
  reportSafeStart,
  reportSoftwareDrawing,
  reportSystemClock,
} from './report-kiosk';
import { createStatusBoard } from './status-board';
import { exampleStatus } from './testing/example-status';

test('a safe start reports what happened and what to do, until it is over', async () => {
  const facts: Fact[] = [];
  const lines: string[] = [];
  const note = (event: string) => void lines.push(event);
  const log = { debug: note, info: note, warn: note, error: note };
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  reportSafeStart((fact) => void facts.push(fact), over, log);

  const { state, attention, sentence } = exampleStatus(0, facts);
  expect(state).toBe('attention');
  expect(attention).toEqual([
    {
      code: 'safe-start',
      message: expect.stringMatching(/three times within a minute.*without network/),
      advice: expect.stringContaining('Wait: after ten minutes'),
    },
  ]);
  expect(sentence).toContain('Safe start');

  end();
  await over;
  await Promise.resolve();
  expect(exampleStatus(0, facts).attention).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('a safe start'), expect.stringContaining('is over')]);
});

const buildDate = Date.UTC(2026, 10, 20);

function told(system: number, trustedAt: number | null) {
  const at = { system, trustedAt };
  const board = createStatusBoard({ now: () => system, monotonic: () => 0 });
  const clock = { systemNow: () => at.system, lastTrustedAt: () => at.trustedAt };
  const look = reportSystemClock(board.tell, clock, buildDate);
  look();
  return { at, look, attention: () => board.told().attention };
}

test('a client certificate that ends within 14 days is a problem by the name of its setting, until there is none', () => {
  const { cert, key } = testCa('A CA').issue('kiosk.example', ['200101', '261231']);
  const clientCertificate = { cert, key: new Secret(key) };
  const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
  let now = Date.UTC(2026, 11, 17);
  const settings = { proof: { clientCertificate: null }, fleet: { clientCertificate } };
  const look = reportClientCertificates(board.tell, settings, () => now);
  look();
  expect(board.told().attention).toEqual([]);
  now = Date.UTC(2026, 11, 18);
  look();
  expect(board.told().attention).toEqual([
    {
      code: 'certificate-ends',
      message:
        'fleet.clientCertFile: The certificate is valid until 2026-12-31T23:59:59.000Z (days left: 13).',
      advice: expect.stringContaining('Put a new one'),
    },
  ]);
  // The clock of the machine was wrong; before the certificate begins it is likely to be wrong now.
  for (const wrong of [Date.UTC(2026, 10, 20), Date.UTC(2019, 0, 1)]) {
    now = wrong;
    look();
    expect(board.told().attention).toEqual([]);
  }
});

test('a client certificate for a short time is a problem in its last third', () => {
  const { cert, key } = testCa('A CA').issue('kiosk.example', ['261201', '261212']);
  const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
  const settings = {
    proof: { clientCertificate: { cert, key: new Secret(key) } },
    fleet: { clientCertificate: null },
  };
  const codesAt = (day: number) => {
    reportClientCertificates(board.tell, settings, () => Date.UTC(2026, 11, day))();
    return board.told().attention.map(({ code }) => code);
  };
  expect([codesAt(8), codesAt(10)]).toEqual([[], ['certificate-ends']]);
});

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

it('the problem ends once the service has sent the time, or the clock was set', () => {
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
])('no problem with the system clock at %d, trusted at %s', (system, trustedAt) => {
  expect(told(system, trustedAt).attention()).toEqual([]);
});

it('drawing without the graphics hardware needs attention, and says since when and what follows', () => {
  const told: Fact[] = [];
  reportSoftwareDrawing((fact) => told.push(fact), null);
  expect(told).toEqual([]);
  reportSoftwareDrawing((fact) => told.push(fact), Date.UTC(2026, 10, 20, 12));
  expect(exampleStatus(0, told).attention).toEqual([
    {
      code: 'graphics-hardware-crashed',
      message: expect.stringContaining('since 2026-11-20T12:00:00.000Z'),
      advice: expect.stringContaining('A day later'),
    },
  ]);
});

it('a display in the wrong state needs attention until it is corrected', () => {
  const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
  const report = reportDisplay(board.tell);
  const power: DisplayPower = { how: 'ddc', on: true, until: null, by: 'hours', problem: null };
  report(null);
  report(power);
  expect(board.told().attention).toEqual([]);
  const failing = { ...power, problem: 'The display could not be switched off: ddc: no answer.' };
  report(failing);
  report(failing);
  expect(board.told().attention).toMatchObject([{ code: 'display-not-switched', message: failing.problem }]);
  report(power);
  expect(board.told().attention).toEqual([]);
});
