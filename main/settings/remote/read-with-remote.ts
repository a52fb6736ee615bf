import { mayBeAddressed } from '../../fleet/link/stored-blocks';
import { readLocated, type SettingsResult, type SettingsSearch } from '../find-settings';
import type { Json } from '../json-values';
import { type LiveSettings, liveSettingsOf } from '../live-settings';
import { type LocatedSettings, locateSettings } from '../locate-settings';
import { isNeverOpen } from '../open-hours';
import type { Settings } from '../settings';
import { problemText, type SettingsProblem } from '../settings-problems';
import { pathsIn, remoteProblems } from './remote-document';
import {
  documentOf,
  LOST_SETTINGS,
  type RemoteDocument,
  takenBack,
  type UnusableRemoteSettings,
} from './remote-settings';
import type { RemoteSettingsStore } from './remote-settings-store';

/** The live settings that would result from a document, or all its problems. */
export type CheckResult = { readonly live: LiveSettings } | { readonly problems: readonly SettingsProblem[] };

/** Checks a document by itself, and together with the file as it is now. Null: the file alone. */
export async function checkRemote(document: Json | null, search: SettingsSearch): Promise<CheckResult> {
  const own = document === null ? [] : remoteProblems(document);
  // Sealed settings cannot be changed remotely, so they need not be opened.
  const asked = { ...search, openSealed: null };
  const result = await readLocated(await locateSettings(search, search.readFile), asked, document);
  if (result.kind === 'settings') {
    const problems = [...own, ...(document === null ? [] : hoursWithoutDay(document, result.settings))];
    return problems.length > 0 ? { problems } : { live: liveSettingsOf(result.settings) };
  }
  const gone = { path: '', message: 'This kiosk has no settings file any more.' };
  return { problems: [...own, ...(result.kind === 'error' ? result.problems : [gone])] };
}

/** An error here, a warning in the file: nothing plays while the store is closed, so the trial would prove nothing. */
function hoursWithoutDay(document: Json, { playback, display }: Settings): readonly SettingsProblem[] {
  const hours = new Map([
    ['playback.openHours', playback.openHours],
    ['display.power', display.power],
  ]);
  const message = 'Expected at least one day such as "mon-sat": "07:00-21:00".';
  return pathsIn(document).flatMap((path) => {
    const named = hours.get(path);
    return named && isNeverOpen(named) ? { path, message } : [];
  });
}

const LOST =
  'The file in which they were stored (fleet-settings.json) is damaged or cannot be read. If other settings are refused (failed), check the disk and restart the player.';

/** The settings of this run, and the remote settings that the current file does not allow. */
export async function readTogether(
  kept: RemoteSettingsStore,
  located: LocatedSettings,
  search: SettingsSearch,
  now: () => number,
): Promise<{ readonly result: SettingsResult; readonly setAside: UnusableRemoteSettings | null }> {
  const document = documentOf(kept.now());
  const { result, setAside } = await readWithRemote(located, search, document);
  // By identity: an equal state is that of a kiosk that never got any.
  if (kept.now() === LOST_SETTINGS) return { result, setAside: { jti: undefined, why: LOST } };
  if (document === null || setAside === null) return { result, setAside: null };
  if (kept.now().trial === null) return { result, setAside: { jti: document.jti, why: setAside } };
  // The trial has failed; the settings before it may be valid.
  await kept.changeEvenIfNotStored((before) => takenBack(before, setAside, now()));
  return readTogether(kept, located, search, now);
}

/** `setAside`: why the operator's settings are not in the result; null where they are, or there are none. */
async function readWithRemote(
  located: LocatedSettings,
  search: SettingsSearch,
  document: RemoteDocument | null,
): Promise<{ readonly result: SettingsResult; readonly setAside: string | null }> {
  const remote = document?.settings ?? null;
  if (document === null || remote === null)
    return { result: await readLocated(located, search), setAside: null };
  const problems = [...remoteProblems(remote)];
  let notObeyed: string | null = null;
  if (problems.length === 0) {
    const merged = await readLocated(located, search, remote);
    if (merged.kind === 'settings') {
      notObeyed = whyNotObeyed(document, merged.settings.fleet);
      if (notObeyed === null) return { result: merged, setAside: null };
    }
    if (merged.kind === 'error') problems.push(...merged.problems);
  }
  const result = await readLocated(located, search);
  // The file itself is wrong, and `result` reports that.
  if (result.kind !== 'settings') return { result, setAside: null };
  return { result, setAside: notObeyed ?? problemsText(problems) };
}

/** `path: message` of each problem, cut to the length that an answer allows. */
export const problemsText = (problems: readonly SettingsProblem[]): string =>
  problems.map(problemText).join(' ').slice(0, 1_900);

/**
 * Settings are not used any more once the file no longer names the key that signed them, or the group they are for.
 * Those for another kiosk end once this kiosk's name is known (`remote-trials.ts`).
 */
function whyNotObeyed(
  { by, aud = 'all' }: RemoteDocument,
  { commandKeys, groups }: Settings['fleet'],
): string | null {
  if (!commandKeys.some(({ fingerprint }) => fingerprint === by))
    return `The key that signed the remote settings (${by}) is no longer in fleet.commandKeys of the kiosk.`;
  return mayBeAddressed(groups)(aud)
    ? null
    : `The remote settings are for ${aud}, which is no longer in fleet.groups of the kiosk.`;
}
