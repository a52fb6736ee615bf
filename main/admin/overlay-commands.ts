import type { Note } from './actions';
import type { AdminParts } from './admin-parts';
import { type AdminCommands, AdminError } from './answer-calls';
import { NO_TAPS, stepGesture } from './gesture';
import type { Overlay } from './overlay';
import type { PinAttempts } from './pin-attempts';
import { isPin, type PinHash } from './pin-hash';
import type { Preferences } from './preferences';

interface OverlayCommandsParts extends Pick<AdminParts, 'clock' | 'gesture'> {
  readonly overlay: Overlay;
  readonly attempts: PinAttempts;
  readonly preferences: Preferences;
  readonly note: Note;
  /** Null: no PIN is set. */
  readonly pinHash: () => PinHash | null;
}

/** Opens, locks and closes the overlay, and sets how it looks. */
export function overlayCommands(parts: OverlayCommandsParts) {
  const { overlay, attempts, preferences, note, pinHash } = parts;
  let taps = NO_TAPS;
  return {
    overlay: () => overlay.state(),
    tap({ x, y, width, height }) {
      if (overlay.at !== 'closed') return null;
      const stepped = stepGesture(taps, { x, y, width, height, at: parts.clock.monotonic() }, parts.gesture);
      taps = stepped.state;
      if (stepped.recognised) overlay.open();
      return null;
    },
    close() {
      overlay.step({ type: 'close' });
      return null;
    },
    lock() {
      overlay.step({ type: 'lock', hasPin: pinHash() !== null });
      return null;
    },
    async unlock({ pin }) {
      const known = pinHash();
      if (overlay.at !== 'locked' || known === null) throw new AdminError('locked', 'No PIN is asked for.');
      overlay.step({ type: 'input' });
      let wasCompared = false;
      const result = await attempts.attempt(() => {
        wasCompared = true;
        return isPin(pin, known);
      });
      if (wasCompared) {
        const named = { unlocked: 'unlocked', wrong: 'wrong-pin', wait: 'locked-out' } as const;
        note(named[result.result], null, result.result === 'unlocked' ? 'done' : 'failed');
      }
      if (result.result === 'unlocked') overlay.step({ type: 'unlocked' });
      return result;
    },
    async setPreferences({ language, theme }) {
      await preferences.choose({ ...(language && { language }), ...(theme && { theme }) });
      overlay.tell();
      return preferences.overlay();
    },
  } satisfies Partial<AdminCommands>;
}
