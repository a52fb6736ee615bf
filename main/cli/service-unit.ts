import { readFile, stat } from 'node:fs/promises';
import { runProgram } from '../shell/run-program';

/**
 * What endcap.service makes different for its kiosk: the folders that it hides, and the settings file that
 * /etc/default/endcap names. Only for the user whom that kiosk's data belongs to; a kiosk of another user has no unit.
 */
export async function serviceUnit() {
  const data = await stat('/var/lib/endcap').catch(() => null);
  const isOtherUser = data !== null && data.uid !== process.geteuid?.();
  if (data === null || isOtherUser) return { hidden: [], env: {}, isOtherUser };
  // Without systemd nothing is hidden.
  const [shown, defaults] = await Promise.all([
    runProgram('systemctl', ['show', 'endcap', '--property=ProtectHome,PrivateTmp']).catch(() => ''),
    readFile('/etc/default/endcap', 'utf8').catch(() => ''),
  ]);
  const ENDCAP_CONFIG = namedSettings(defaults);
  return { hidden: hiddenFolders(shown), env: ENDCAP_CONFIG ? { ENDCAP_CONFIG } : {}, isOtherUser };
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
