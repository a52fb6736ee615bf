import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { runProgram } from '../shell/run-program';

/**
 * What endcap.service makes different for its kiosk: the folders that it hides, and the settings file that
 * /etc/default/endcap names. Only for a check with that kiosk's user; a kiosk of another user has no unit.
 */
export async function serviceUnit() {
  if (process.platform !== 'linux' || userInfo().username !== 'endcap') return { hidden: [], env: {} };
  const shown = runProgram('systemctl', ['show', 'endcap', '--property=ProtectHome,PrivateTmp']);
  const defaults = readFile('/etc/default/endcap', 'utf8');
  const ENDCAP_CONFIG = namedSettings(await defaults.catch(() => ''));
  // Without systemd nothing is hidden.
  return { hidden: hiddenFolders(await shown.catch(() => '')), env: ENDCAP_CONFIG ? { ENDCAP_CONFIG } : {} };
}

/** @param shown the unit's properties, as `systemctl show` prints them */
export const hiddenFolders = (shown: string): readonly string[] => [
  ...(/^ProtectHome=(yes|tmpfs)$/m.test(shown) ? ['/home', '/root', '/run/user'] : []),
  ...(/^PrivateTmp=(yes|disconnected)$/m.test(shown) ? ['/tmp', '/var/tmp'] : []),
];

/** @param defaults the text of /etc/default/endcap */
export function namedSettings(defaults: string): string | undefined {
  const last = (name: string) =>
    [...defaults.matchAll(new RegExp(`^\\s*${name}=(["']?)(.*?)\\1\\s*$`, 'gm'))].at(-1)?.[2];
  return /--config[= ](\S+)/.exec(last('ENDCAP_ARGUMENTS') ?? '')?.[1] ?? last('ENDCAP_CONFIG');
}
