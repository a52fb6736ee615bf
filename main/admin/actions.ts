import { type ActionResult, type AdminAction, cut, type RecordedAction } from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import type { Log } from '../../shared/log';
import { messageOf } from '../describe-error';
import type { Schedule } from '../schedule';
import type { MachineControls } from './admin-parts';
import { AdminError } from './answer-calls';
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
  readonly preferences: Preferences;
  readonly machine: MachineControls;
  readonly endSoon: EndSoon;
  readonly closeOverlay: () => void;
  /** Whether who asks sees the screen, as staff do and the fleet's operator does not. */
  readonly isAtScreen: boolean;
  readonly note: Note;
  readonly log: Log;
}): (action: AdminAction) => Promise<ActionResult> {
  const { kiosk, preferences, machine, endSoon, closeOverlay, note, log } = parts;

  function done(...noted: Parameters<Note>): ActionResult {
    note(...noted);
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
    return done('restart-kiosk');
  }

  async function switchDisplay(on: boolean | null): Promise<ActionResult> {
    if (!kiosk.switchDisplay) throw new AdminError('not-here', 'This kiosk cannot switch its display.');
    const message = await kiosk.switchDisplay(on, parts.isAtScreen);
    if (message !== null) {
      return failed('display', {
        code: 'display-not-switched',
        message,
        advice: 'Switch it by its own button, and look at "The display at night" in install.md.',
      });
    }
    if (on === false) closeOverlay();
    return done('display', on === null ? null : { kind: 'switched', on });
  }

  return async (action) => {
    switch (action.action) {
      case 'pause':
        await kiosk.maintenance.begin(action.minutes);
        return done('pause', { kind: 'minutes', minutes: action.minutes });
      case 'resume':
        await kiosk.maintenance.end();
        return done('resume');
      case 'skip':
        // The overlay ended the play when it opened.
        closeOverlay();
        return done('skip');
      case 'refresh': {
        const error = await kiosk.refresh();
        return error ? failed('refresh', error) : done('refresh');
      }
      case 'sound':
        await preferences.choose({ volume: action.volume ?? undefined });
        return done('sound', action.volume === null ? null : { kind: 'volume', volume: action.volume });
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
        return done('autostart', { kind: 'switched', on });
      }
      case 'restart-player':
        endSoon(machine.restartPlayer);
        return done('restart-player');
      case 'restart-kiosk':
        return restartKiosk();
      case 'leave':
        endSoon(machine.leave);
        return done('leave');
      default:
        return assertNever(action);
    }
  };
}

/**
 * Also records an action that fails unexpectedly. Only the overlay needs it: the live link records the commands of
 * the fleet's operator itself.
 */
export const recordFailures =
  (act: ReturnType<typeof createActions>, note: Note): ReturnType<typeof createActions> =>
  async (action) => {
    try {
      return await act(action);
    } catch (error) {
      // A refused action was not tried.
      if (!(error instanceof AdminError)) {
        const message = cut(messageOf(error), 500);
        note(action.action, { kind: 'failed', code: 'failed', message }, 'failed');
      }
      throw error;
    }
  };
