import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { RemoteSettingsStatus } from '../settings/remote/remote-settings';
import { reportSettings, unusableSettings } from './report-settings';
import { createStatusBoard } from './status-board';
import { MAX_PROBLEMS } from './status-bounds';

const FILE = '/etc/endcap/config.json';

/** @param remote null: the kiosk accepts no remote settings */
function world(remote: RemoteSettingsStatus | null = null) {
  const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
  const state = { remote };
  const standing = remote && (() => state.remote ?? remote);
  const section = { file: FILE, delivery: 'offline', problems: ['A warning of the start.'] } as const;
  const report = reportSettings(
    board.tell,
    { ...section, problems: [...section.problems] },
    standing,
    silentLog,
  );
  return { ...board, state, report };
}

it('says why the next start could not use the settings file until it is corrected, and that it was changed', () => {
  const { told, report } = world();
  expect(told()).toMatchObject({
    settings: { file: FILE, delivery: 'offline', remote: null },
    attention: [],
  });
  const wrong = { message: 'Line 1, column 2: expected a value.', advice: 'Correct it.' };
  report.fileChanged({ kind: 'unusable', ...wrong });
  expect(told().settings?.problems).toEqual([wrong.message, 'A warning of the start.']);
  expect(told().attention).toEqual([{ code: 'settings-unusable', ...wrong }]);
  expect(unusableSettings(told())).toMatchObject(wrong);
  report.fileChanged({ kind: 'changed', message: 'It was changed.' });
  expect(told().settings?.problems).toEqual(['It was changed.', 'A warning of the start.']);
  expect([told().attention, unusableSettings(told())]).toEqual([[], null]);
  report.fileChanged({ kind: 'in-force' });
  expect(told().settings?.problems).toEqual(['A warning of the start.']);
});

it('lists as many problems as a status may hold', () => {
  const board = createStatusBoard({ now: () => 0, monotonic: () => 0 });
  const problems = Array.from({ length: MAX_PROBLEMS + 9 }, (_, number) => `Warning ${number}.`);
  reportSettings(board.tell, { file: FILE, delivery: 'offline', problems }, null, silentLog);
  expect(board.told().settings?.problems).toEqual(problems.slice(0, MAX_PROBLEMS));
});

it('says which remote settings are in force, why they are not, and who signed those that were taken back', () => {
  const inForce = { since: 5, by: 'abc', settings: ['ads.delivery'], onTrial: true };
  const { told, report, state } = world({ inForce, setAside: null, takenBack: null });
  expect(told()).toMatchObject({ settings: { remote: inForce }, attention: [] });
  state.remote = {
    inForce: null,
    setAside: null,
    takenBack: { at: 7, by: 'abc', error: 'It did not play.' },
  };
  report.remoteChanged();
  expect(told().settings).toMatchObject({
    remote: null,
    problems: ['Remote settings signed by abc: It did not play.', 'A warning of the start.'],
  });
  state.remote = { inForce: null, setAside: 'native.apptoken: Missing.', takenBack: null };
  report.remoteChanged();
  expect(told().attention).toMatchObject([
    {
      code: 'remote-settings-set-aside',
      message: expect.stringMatching(/not in force: native\.apptoken: Missing\.$/),
    },
  ]);
  state.remote = { inForce, setAside: null, takenBack: null };
  report.remoteChanged();
  expect(told()).toMatchObject({ settings: { problems: ['A warning of the start.'] }, attention: [] });
});
