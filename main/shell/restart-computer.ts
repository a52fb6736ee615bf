import type { RunProgram } from './run-program';

const LOGIND = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];

/**
 * Resolves to a function that restarts the computer, or to null where the operating system forbids it: on Linux
 * logind decides by the machine's own rules (polkit); on Windows everybody at the screen may. Never asks for a
 * password.
 */
export async function computerRestart(
  platform: NodeJS.Platform,
  run: RunProgram,
): Promise<(() => Promise<void>) | null> {
  if (platform === 'win32') {
    return async () => void (await run('shutdown', ['/r', '/t', '0']));
  }
  if (platform !== 'linux') return null;
  const answer = await run('busctl', ['call', ...LOGIND, 'CanReboot']).catch(() => '');
  // `s "yes"`; "challenge" would ask for a password, which the staff do not have.
  if (answer.trim() !== 's "yes"') return null;
  return async () => void (await run('busctl', ['call', ...LOGIND, 'Reboot', 'b', 'false']));
}
