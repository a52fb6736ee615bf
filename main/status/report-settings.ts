import type { Log } from '../../shared/log';
import type { RemoteSettingsStatus } from '../settings/remote/remote-settings';
import type { SettingsFileState } from '../settings/settings-watch';
import type { Tell } from './facts';
import type { Problem, Status } from './status';
import { MAX_PROBLEMS } from './status-bounds';

const CODE = 'settings-unusable';
const SET_ASIDE = 'remote-settings-set-aside';

/**
 * Why the next start could not use the settings file; null: nothing is known. A change of the file is checked within
 * seconds; a change of a file that it names only while the settings cannot be used. Before a restart ask `whyUnusable`.
 */
export const unusableSettings = ({ attention }: Pick<Status, 'attention'>): Problem | null =>
  attention.find(({ code }) => code === CODE) ?? null;

/**
 * Reports to the board when the settings file or the remote settings change while the kiosk runs.
 *
 * @param remote null: this kiosk accepts no remote settings
 */
export function reportSettings(
  tell: Tell,
  section: Pick<NonNullable<Status['settings']>, 'file' | 'delivery' | 'problems'>,
  remote: (() => RemoteSettingsStatus) | null,
  log: Log,
) {
  let ofFile: string | null = null;

  function report(): void {
    const { inForce, takenBack, setAside } = remote?.() ?? NOTHING_REMOTE;
    const ofRemote = takenBack && `Remote settings signed by ${takenBack.by}: ${takenBack.error}`;
    const problems = [ofFile, ofRemote].filter((problem) => problem !== null);
    tell({
      kind: 'section',
      name: 'settings',
      value: {
        ...section,
        problems: [...problems, ...section.problems].slice(0, MAX_PROBLEMS),
        remote: inForce,
      },
    });
    tell({
      kind: 'attention',
      code: SET_ASIDE,
      problem: setAside === null ? null : setAsideProblem(setAside),
    });
  }

  report();
  return {
    /** To be called when remote settings came or went. */
    remoteChanged: report,
    /** To be called when the state of the file changes. */
    fileChanged(state: SettingsFileState): void {
      const isChanged = state.kind !== 'in-force';
      ofFile = isChanged ? state.message : null;
      report();
      const unusable = state.kind === 'unusable' ? state : null;
      const problem = unusable && { message: unusable.message, advice: unusable.advice };
      tell({ kind: 'attention', code: CODE, problem });
      if (unusable !== null) {
        log.warn('the settings file cannot be used any more; the settings of the start stay in force', {
          problem: unusable.message,
        });
      } else {
        log.info(isChanged ? state.message : 'the settings file again holds the settings in force');
      }
    },
  };
}

const NOTHING_REMOTE: RemoteSettingsStatus = { inForce: null, setAside: null, takenBack: null };

const setAsideProblem = (why: string) => ({
  message: `The settings that the fleet's operator sent are not in force: ${why.slice(0, 300)}`,
  advice:
    'The kiosk plays by its own file. Send settings that fit it, or "none"; or correct the file and restart the player.',
});
