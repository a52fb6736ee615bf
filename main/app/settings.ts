import { join } from 'node:path';
import type { SettingsSearch } from '../settings/find-settings';
import { type LocatedSettings, locateSettings, type SettingsPlaces } from '../settings/locate-settings';
import { checkRemote, readTogether } from '../settings/remote/read-with-remote';
import { openRemoteSettings } from '../settings/remote/remote-settings-store';
import { readFileOnDisk } from '../settings/settings-file-on-disk';
import { isPackaged, locale, systemKeyring } from '../shell/this-machine';
import type { Base, FoundRemote, FoundSettings } from './core';

/** The possible sources of the settings. */
export interface SettingsSource {
  readonly places: SettingsPlaces;
  readonly located: LocatedSettings;
  /** `--set-up`: the set-up is shown from source too. */
  readonly setUp: boolean;
  /** Folder of the built programs. */
  readonly programs: string;
}

/** The settings cannot be used; the message says why. */
export class WrongSettingsError extends Error {}

/** Whether an installed kiosk without settings asks for them on its screen. */
export const asksForSettings = ({ located, setUp }: SettingsSource): boolean =>
  located.kind === 'none' && (isPackaged || setUp);

/**
 * The settings of the file that was located; without one those of the embedded demo, or, on an installed kiosk, those
 * of the set-up. Throws a `WrongSettingsError` if they cannot be used.
 */
export async function openSettings(base: Base, source: SettingsSource): Promise<FoundSettings> {
  const { located, programs } = source;
  const search = searchOf(source);
  if (!asksForSettings(source))
    return located.kind === 'none' ? openDemo(base, programs) : read(base, located, search);
  const language = locale();
  base.windows.stage.keep({ type: 'screen', rotation: 0, language, corner: 'top-left' });
  // Only an installed kiosk without settings needs it.
  const { firstSetUp } = await import('./overlay');
  const outcome = await firstSetUp(base, language);
  if (outcome === 'demo') return openDemo(base, programs);
  // Meanwhile an operator may have installed a file, with a fleet that the kiosk is to join.
  return read(base, await locateSettings(search, readFileOnDisk), search);
}

/** Where this machine's settings are, and how its files and its keyring are read. */
export const searchOf = ({ places }: SettingsSource): SettingsSearch => ({
  ...places,
  readFile: readFileOnDisk,
  openSealed: systemKeyring.open,
});

/** Reads the file, and over it the remote settings if they are valid. */
async function read(
  { dataDirectory, clock, log }: Base,
  located: LocatedSettings,
  search: SettingsSearch,
): Promise<FoundSettings> {
  const kept = await openRemoteSettings(join(dataDirectory, 'fleet-settings.json'), clock.now, log);
  const { result, setAside } = await readTogether(kept, located, search, clock.now);
  if (setAside !== null) log.warn('the remote settings are set aside', { why: setAside.why });
  if (result.kind === 'error') throw new WrongSettingsError(result.message);
  if (result.kind === 'none') throw new Error('the settings that were just stored are not there');
  const { settings, file, warnings, sealed } = result;
  for (const warning of warnings) log.warn(warning);
  if (sealed.length > 0) log.info('the keyring opened secrets of the settings', { sealed });
  const remote: FoundRemote = { kept, setAside, check: (document) => checkRemote(document, search) };
  return { settings, file, search, warnings, remote, service: null };
}

async function openDemo(
  { windows, dataDirectory, lifecycle, log }: Base,
  programs: string,
): Promise<FoundSettings> {
  // Only the demo needs it.
  const { startDemo } = await import('../shell/embedded-service');
  const { settings, service } = await startDemo(programs, dataDirectory, windows.mayRestartService, log);
  lifecycle.keep({ dispose: service.stop });
  return { settings, file: null, search: null, warnings: [], remote: null, service };
}
