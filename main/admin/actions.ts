import type { ActionResult, AdminAction, RecordedAction } from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import type { Log } from '../../shared/log';
import type { Schedule } from '../schedule';
import { cut } from '../status/shown-text';
import type { Machine } from './admin-parts';
import { AdminError } from './answer-calls';
import type { Maintenance } from './maintenance';
import type { Preferences } from './preferences';
import type { RunningKiosk } from './running-kiosk';

/** Records that something was done or tried. */
export type Note = (
  action: RecordedAction['action'],
  detail?: RecordedAction['detail'],
  outcome?: RecordedAction['outcome'],
) => void;

/** Time for the page to get its answer before this process ends, ms. */
const ANSWER_MS = 300;

/** Ends this process after `ANSWER_MS`; throws an `AdminError` if an end was requested before. */
export type EndSoon = (end: () => void) => void;

/** Only the first end counts: each `relaunch` of Electron starts one more program. */
export function endOnce(schedule: Schedule): EndSoon {
  let isEnding = false;
  return (end) => {
    if (isEnding) throw new AdminError('busy', 'The player is ending already.');
    isEnding = true;
    schedule(ANSWER_MS, end);
  };
}

/** Does what staff ask for, and records it with its time. */
export function createActions(parts: {
  readonly kiosk: RunningKiosk;
  readonly maintenance: Maintenance;
  readonly preferences: Preferences;
  readonly machine: Machine;
  readonly endSoon: EndSoon;
  readonly closeOverlay: () => void;
  readonly note: Note;
  readonly log: Log;
}): (action: AdminAction) => Promise<ActionResult> {
  const { kiosk, maintenance, preferences, machine, endSoon, closeOverlay, note, log } = parts;

  async function restartKiosk(): Promise<ActionResult> {
    if (!machine.restartKiosk) throw new AdminError('not-here', 'This kiosk may not restart the computer.');
    try {
      await machine.restartKiosk();
    } catch (error) {
      log.error('the computer could not be restarted', { error });
      return failed('restart-kiosk', {
        code: 'no-reboot',
        message: 'The computer could not be restarted.',
        advice: 'Turn it off and on again with the power switch.',
      });
    }
    note('restart-kiosk');
    return { result: 'done' };
  }

  async function switchDisplay(on: boolean | null): Promise<ActionResult> {
    if (!kiosk.switchDisplay) throw new AdminError('not-here', 'This kiosk cannot switch its display.');
    const message = await kiosk.switchDisplay(on);
    if (message !== null) {
      return failed('display', {
        code: 'display-not-switched',
        message,
        advice: 'Switch it by its own button, and look at "The display at night" in install.md.',
      });
    }
    note('display', on === null ? null : { kind: 'switched', on });
    if (on === false) closeOverlay();
    return { result: 'done' };
  }

  function failed(
    action: AdminAction['action'],
    error: { code: string; message: string; advice: string },
  ): ActionResult {
    const what = { code: cut(error.code, 100), message: cut(error.message, 500) };
    note(action, { kind: 'failed', ...what }, 'failed');
    return { result: 'failed', ...what, advice: cut(error.advice, 500) };
  }

  return async (action) => {
    switch (action.action) {
      case 'pause':
        await maintenance.begin(action.minutes);
        note('pause', { kind: 'minutes', minutes: action.minutes });
        return { result: 'done' };
      case 'resume':
        await maintenance.end();
        note('resume');
        return { result: 'done' };
      case 'skip':
        kiosk.skip();
        note('skip');
        closeOverlay();
        return { result: 'done' };
      case 'refresh': {
        const error = await kiosk.refresh();
        if (error) return failed('refresh', error);
        note('refresh');
        return { result: 'done' };
      }
      case 'sound':
        kiosk.setVolume(action.volume);
        await preferences.choose({ volume: action.volume });
        note('sound', { kind: 'volume', volume: action.volume });
        return { result: 'done' };
      case 'display':
        return switchDisplay(action.on);
      case 'clear-media': {
        const { files, bytes } = await kiosk.clearMedia();
        note('clear-media', { kind: 'cleared', files, bytes });
        return { result: 'cleared', files, bytes };
      }
      case 'autostart': {
        const { on } = await machine.autostart.set(action.on);
        if (on !== action.on) {
          return failed('autostart', {
            code: 'autostart-refused',
            message: 'The system did not accept the setting.',
            advice: 'Set it in the system itself.',
          });
        }
        note('autostart', { kind: 'switched', on });
        return { result: 'done' };
      }
      case 'restart-player':
        endSoon(machine.restartPlayer);
        note('restart-player');
        return { result: 'done' };
      case 'restart-kiosk':
        return restartKiosk();
      case 'leave':
        endSoon(machine.leave);
        note('leave');
        return { result: 'done' };
      default:
        return assertNever(action);
    }
  };
}
