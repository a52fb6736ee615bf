import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOfLeaving, LEFT_EXIT_CODE } from './service-manager';

const unit = readFileSync(
  join(__dirname, '../../tools/packaging/tree/usr/lib/systemd/system/endcap.service'),
  'utf8',
).split('\n');

describe('leaving to the desktop', () => {
  it('exits with 0 for a kiosk that was started by hand', () => {
    expect(exitCodeOfLeaving({})).toBe(0);
  });

  it('exits with its own code under a service manager, and the unit file handles it', () => {
    expect(exitCodeOfLeaving({ NOTIFY_SOCKET: '/run/systemd/notify' })).toBe(LEFT_EXIT_CODE);
    expect(unit).toEqual(
      expect.arrayContaining([
        'Restart=always',
        `RestartPreventExitStatus=${LEFT_EXIT_CODE}`,
        `SuccessExitStatus=${LEFT_EXIT_CODE}`,
      ]),
    );
  });

  it('starts the console log-in again', () => {
    const taken = unit.find((line) => line.startsWith('Conflicts='))?.slice('Conflicts='.length) ?? '';
    const afterwards = unit.find((line) => line.startsWith('ExecStopPost='));
    expect(afterwards).toContain(`test "$$EXIT_STATUS" != ${LEFT_EXIT_CODE} ||`);
    expect(afterwards).toContain(`systemctl --no-block start ${taken}'`);
  });
});
