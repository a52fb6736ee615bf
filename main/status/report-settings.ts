import type { Log } from '../../shared/log';
import type { SettingsStanding } from '../settings/settings-watch';
import type { Tell } from './facts';
import { MAX_PROBLEMS, type Status } from './status';

const CODE = 'settings-unusable';

/** Tells the board of the settings, now and as their file changes under the kiosk. */
export function reportSettings(
  tell: Tell,
  section: NonNullable<Status['settings']>,
  log: Log,
): (standing: SettingsStanding) => void {
  tell({ kind: 'section', name: 'settings', value: section });
  return (standing) => {
    const { problems } = section;
    const isChanged = standing.kind !== 'in-force';
    tell({
      kind: 'section',
      name: 'settings',
      value: {
        ...section,
        problems: isChanged ? [standing.message, ...problems].slice(0, MAX_PROBLEMS) : problems,
      },
    });
    if (standing.kind === 'unusable') {
      const { message, advice } = standing;
      tell({ kind: 'attention', problem: { code: CODE, message, advice } });
      log.warn('the settings file cannot be used any more; what it said at the start stays in force', {
        problem: message,
      });
    } else {
      tell({ kind: 'attention-over', code: CODE });
      log.info(isChanged ? standing.message : 'the settings file says again what is in force');
    }
  };
}
