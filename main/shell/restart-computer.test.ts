import { describe, expect, it } from 'vitest';
import { computerRestart } from './restart-computer';

/** A system with this answer to `CanReboot`; null: it has no logind. */
function system(canReboot: string | null) {
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(' '));
    if (canReboot === null) throw new Error('no such program');
    return args.includes('CanReboot') ? `s "${canReboot}"\n` : '';
  };
  return { run, ran };
}

describe('restarting the computer', () => {
  it('is offered if the system allows it, and then asks the system to restart', async () => {
    const { run, ran } = system('yes');
    const restart = await computerRestart('linux', run);
    await restart?.();
    expect(ran.map((line) => line.split(' ').slice(-3).join(' '))).toEqual([
      '/org/freedesktop/login1 org.freedesktop.login1.Manager CanReboot',
      'Reboot b false',
    ]);
  });

  it.each(['no', 'challenge', 'na', 'inhibited', ''])(
    'is not offered if the system answers %j',
    async (answer) => {
      expect(await computerRestart('linux', system(answer).run)).toBeNull();
    },
  );

  it('is not offered without an answer, or on an unknown system', async () => {
    expect(await computerRestart('linux', system(null).run)).toBeNull();
    expect(await computerRestart('darwin', system('yes').run)).toBeNull();
  });

  it('rejects when it failed', async () => {
    const run = async (_program: string, args: readonly string[]) => {
      if (args.includes('Reboot')) throw new Error('inhibited');
      return 's "yes"';
    };
    await expect((await computerRestart('linux', run))?.()).rejects.toThrow('inhibited');
  });
});
