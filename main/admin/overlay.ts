import type { AdminNews, OverlayState, OverlayView } from '../../shared/admin';
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

/** The state of the overlay. While it covers the stage the kiosk is held (rule 14). */
export class Overlay {
  readonly #parts: OverlayParts;
  #session: Session;
  /** Counts changes of view, so that an answer that comes late is known as one to an earlier view. */
  #views = 0;
  #statusBefore: Status | null = null;
  #isTicking = false;

  constructor(parts: OverlayParts) {
    this.#parts = parts;
    this.#session = parts.kiosk ? CLOSED : { at: 'set-up' };
  }

  get at(): Session['at'] {
    return this.#session.at;
  }

  get covers(): boolean {
    return covers(this.#session);
  }

  /** The status just before the overlay opened. */
  get statusBefore(): Status | null {
    return this.#statusBefore;
  }

  permits(who: Parameters<typeof permits>[1]): boolean {
    return permits(this.#session, who);
  }

  state(): OverlayState {
    const { preferences, kiosk } = this.#parts;
    return {
      overlay: this.#view(),
      preferences: preferences.overlay(),
      maintenanceUntil: kiosk?.maintenance.until() ?? null,
    };
  }

  tell(): void {
    this.#parts.send({ kind: 'overlay', state: this.state() });
  }

  /** Holds or releases the stage as the session demands, and sends the state. */
  start(): void {
    this.#parts.kiosk?.hold('overlay', this.covers);
    this.tell();
  }

  open(): void {
    if (this.at === 'closed') this.step({ type: 'gesture', hasPin: this.#hasPin() });
  }

  step(event: SessionEvent): void {
    const { kiosk, clock } = this.#parts;
    const old = this.#session;
    const next = stepSession(old, event, clock.monotonic());
    this.#session = next;
    if (covers(old) !== covers(next)) {
      this.#statusBefore = covers(next) ? (kiosk?.status() ?? null) : null;
      kiosk?.hold('overlay', covers(next));
    }
    if (old.at !== next.at) {
      this.#views += 1;
      this.tell();
    }
    if (covers(next)) this.#tick();
  }

  /** Ends the session without sending it. */
  end(): void {
    this.#session = CLOSED;
  }

  /** The calls that open, lock and close the overlay, and set how it looks. */
  commands() {
    const { kiosk, attempts, preferences, clock, note, pinHash } = this.#parts;
    let taps: readonly number[] = [];
    return {
      overlay: () => this.state(),
      tap: (press) => {
        if (this.at !== 'closed' || kiosk === null) return null;
        const tap = { ...press, at: clock.monotonic() };
        const stepped = stepGesture(taps, tap, kiosk.settings.admin.gesture);
        taps = stepped.state;
        if (stepped.recognised) this.open();
        return null;
      },
      close: () => {
        this.step({ type: 'close' });
        return null;
      },
      lock: () => {
        this.step({ type: 'lock', hasPin: this.#hasPin() });
        return null;
      },
      unlock: async ({ pin }) => {
        const known = pinHash();
        if (this.at !== 'locked' || known === null) throw new AdminError('locked', 'No PIN is asked for.');
        this.step({ type: 'input' });
        const asked = this.#views;
        let wasCompared = false;
        const compare = () => {
          wasCompared = true;
          return isPin(pin, known);
        };
        const result = await attempts.attempt(compare).catch((error: unknown) => {
          this.tell();
          throw error;
        });
        if (wasCompared) {
          const named = { unlocked: 'unlocked', wrong: 'wrong-pin', wait: 'locked-out' } as const;
          note(named[result.result], null, result.result === 'unlocked' ? 'done' : 'failed');
        }
        // A pad that was closed while the disk was slow opens nothing, nor does the next one.
        if (result.result === 'unlocked' && asked === this.#views) this.step({ type: 'unlocked' });
        else this.tell();
        return result;
      },
      setPreferences: async ({ language, theme }) => {
        await preferences.choose({ ...(language && { language }), ...(theme && { theme }) });
        this.tell();
        return preferences.overlay();
      },
    } satisfies Partial<AdminCommands>;
  }

  #hasPin(): boolean {
    return this.#parts.pinHash() !== null;
  }

  #view(): OverlayView {
    const session = this.#session;
    if (session.at === 'locked') return { view: 'locked', ...this.#parts.attempts.standing() };
    if (session.at === 'open') return { view: 'open', mayAct: session.mayAct };
    return { view: session.at };
  }

  #tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#parts.schedule(TICK_MS, () => {
      this.#isTicking = false;
      if (!this.covers) return;
      this.step({ type: 'tick', hasPin: this.#hasPin() });
      if (this.covers) this.#tick();
    });
  }
}
