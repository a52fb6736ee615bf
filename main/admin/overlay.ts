import type { AdminNews, OverlayState, OverlayView, Unlocking } from '../../shared/admin';
import type { Status } from '../status/status';
import type { Note } from './actions';
import type { AdminParts } from './admin-parts';
import { type AdminCommands, AdminError } from './answer-calls';
import { stepGesture } from './gesture';
import { CLOSED, covers, permits, type Session, type SessionEvent, stepSession } from './overlay-session';
import type { PinAttempts } from './pin-attempts';
import { isPin, type PinHash } from './pin-hash';

const TICK_MS = 1_000;

interface OverlayParts extends Pick<AdminParts, 'kiosk' | 'preferences' | 'clock' | 'schedule'> {
  readonly attempts: PinAttempts;
  /** Null: no PIN is set. */
  readonly pinHash: () => PinHash | null;
  readonly send: (news: AdminNews) => void;
  readonly note: Note;
}

export type Overlay = ReturnType<typeof createOverlay>;

/** The state of the overlay. While it covers the stage the kiosk is held (rule 14). */
export function createOverlay(parts: OverlayParts) {
  const { kiosk, attempts, preferences, clock, pinHash, send, note } = parts;
  let session: Session = kiosk ? CLOSED : { at: 'set-up' };
  /** Counts changes of view, so that an answer that comes late is known as one to an earlier view. */
  let views = 0;
  let statusBefore: Status | null = null;
  let isTicking = false;
  let taps: readonly number[] = [];

  function view(): OverlayView {
    if (session.at === 'locked') return { view: 'locked', ...attempts.standing() };
    if (session.at === 'open') return { view: 'open', mayAct: session.mayAct };
    return { view: session.at };
  }

  const state = (): OverlayState => ({
    overlay: view(),
    preferences: preferences.overlay(),
    maintenanceUntil: kiosk?.maintenance.until() ?? null,
  });

  const tell = () => send({ kind: 'overlay', state: state() });

  function step(event: SessionEvent): void {
    const old = session;
    session = stepSession(old, event, clock.monotonic());
    const isCovered = covers(session);
    if (covers(old) !== isCovered) {
      statusBefore = isCovered ? (kiosk?.status() ?? null) : null;
      kiosk?.hold('overlay', isCovered);
    }
    if (old.at !== session.at) {
      views += 1;
      tell();
    }
    if (isCovered) tick();
  }

  const open = () => step({ type: 'gesture', hasPin: pinHash() !== null });

  function tick(): void {
    if (isTicking) return;
    isTicking = true;
    parts.schedule(TICK_MS, () => {
      isTicking = false;
      if (covers(session)) step({ type: 'tick' });
    });
  }

  async function unlock({ pin }: { readonly pin: string }): Promise<Unlocking> {
    const known = pinHash();
    if (session.at !== 'locked' || known === null) throw new AdminError('locked', 'No PIN is asked for.');
    step({ type: 'input' });
    const asked = views;
    let wasCompared = false;
    const compare = () => {
      wasCompared = true;
      return isPin(pin, known);
    };
    const result = await attempts.attempt(compare).catch((error: unknown) => {
      tell();
      throw error;
    });
    if (wasCompared) {
      const named = { unlocked: 'unlocked', wrong: 'wrong-pin', wait: 'locked-out' } as const;
      note(named[result.result], null, result.result === 'unlocked' ? 'done' : 'failed');
    }
    // A pad that was closed while the disk was slow opens nothing, nor does the next one.
    if (result.result === 'unlocked' && asked === views) step({ type: 'unlocked' });
    else tell();
    return result;
  }

  return {
    covers: () => covers(session),
    /** The status just before the overlay opened. */
    statusBefore: () => statusBefore,
    permits: (who: Parameters<typeof permits>[1]) => permits(session, who),
    tell,
    /** Holds or releases the stage as the session demands, and sends the state. */
    start(): void {
      kiosk?.hold('overlay', covers(session));
      tell();
    },
    open,
    step,
    /** Ends the session without sending it. */
    end(): void {
      session = CLOSED;
    },
    /** The calls that open, lock and close the overlay, and set how it looks. */
    commands: {
      overlay: state,
      tap(press) {
        if (session.at !== 'closed' || kiosk === null) return null;
        const tap = { ...press, at: clock.monotonic() };
        const stepped = stepGesture(taps, tap, kiosk.settings.admin.gesture);
        taps = stepped.state;
        if (stepped.recognised) open();
        return null;
      },
      close() {
        step({ type: 'close' });
        return null;
      },
      lock() {
        step({ type: 'lock' });
        return null;
      },
      unlock,
      async setPreferences({ language, theme }) {
        await preferences.choose({ ...(language && { language }), ...(theme && { theme }) });
        tell();
        return preferences.overlay();
      },
    } satisfies Partial<AdminCommands>,
  };
}
