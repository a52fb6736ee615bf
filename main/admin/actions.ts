import type { ActionResult, AdminAction, RecordedAction } from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import type { Machine } from './admin-parts';
import { Refusal } from './answer-calls';
import type { Maintenance } from './maintenance';
import type { Preferences } from './preferences';
import type { RunningKiosk } from './running-kiosk';

/** Until a page has its answer, before the process it came from ends, ms. */
export const ANSWER_MS = 300;

/** Writes down that something was done or tried. */
export type Note = (
  action: RecordedAction['action'],
  detail?: string | null,
  outcome?: RecordedAction['outcome'],
) => void;

/** Does what staff ask for, and records it with its time. */
export function createActions(parts: {
  readonly kiosk: RunningKiosk;
  readonly maintenance: Maintenance;
  readonly preferences: Preferences;
  readonly machine: Machine;
  readonly schedule: Schedule;
  readonly closeOverlay: () => void;
  readonly note: Note;
  readonly log: Log;
}): (action: AdminAction) => Promise<ActionResult> {
  const { kiosk, maintenance, preferences, machine, schedule, closeOverlay, note, log } = parts;

  async function restartKiosk(): Promise<ActionResult> {
    if (!machine.restartKiosk) throw new Refusal('not-here', 'This kiosk may not restart the computer.');
    try {
      await machine.restartKiosk();
    } catch (fault) {
      log.error('the computer could not be restarted', { fault });
      note('restart-kiosk', null, 'failed');
      const message = 'The computer could not be restarted.';
      return { result: 'failed', message, advice: 'Restart it at its switch.' };
    }
    note('restart-kiosk');
    return { result: 'done' };
  }

  return async (action) => {
    switch (action.action) {
      case 'pause':
        await maintenance.begin(action.minutes);
        note('pause', `${action.minutes} minutes`);
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
      case 'refresh':
        await kiosk.refresh();
        note('refresh');
        return { result: 'done' };
      case 'sound':
        kiosk.setVolume(action.volume);
        await preferences.choose({ volume: action.volume });
        note('sound', `volume ${Math.round(action.volume * 100)} %`);
        return { result: 'done' };
      case 'clear-media': {
        const { files, bytes } = await kiosk.clearMedia();
        note('clear-media', `${files} files, ${bytes} bytes`);
        return { result: 'cleared', files, bytes };
      }
      case 'autostart': {
        const { on } = await machine.autostart.set(action.on);
        note('autostart', on ? 'on' : 'off', on === action.on ? 'done' : 'failed');
        if (on === action.on) return { result: 'done' };
        const message = 'The platform did not take it.';
        return { result: 'failed', message, advice: 'Set it in the system itself.' };
      }
      case 'restart-player':
        note('restart-player');
        schedule(ANSWER_MS, machine.restartPlayer);
        return { result: 'done' };
      case 'restart-kiosk':
        return restartKiosk();
      case 'leave':
        note('leave');
        schedule(ANSWER_MS, machine.leave);
        return { result: 'done' };
      default:
        return assertNever(action);
    }
  };
}
