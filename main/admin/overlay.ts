import type { AdminNews, OverlayState, OverlayView } from '../../shared/admin';
import { assertNever } from '../../shared/assert-never';
import type { Status } from '../signals/status';
import type { AdminParts } from './admin-parts';
import { CLOSED, covers, permits, type Session, type SessionEvent, stepSession } from './overlay-session';
import type { PinAttempts } from './pin-attempts';
import type { Preferences } from './preferences';

const TICK_MS = 1_000;

interface OverlayParts extends Pick<AdminParts, 'kiosk' | 'clock' | 'schedule' | 'rotation'> {
  readonly attempts: Pick<PinAttempts, 'standing'>;
  readonly preferences: Pick<Preferences, 'overlay'>;
  readonly hasPin: () => boolean;
  readonly send: (news: AdminNews) => void;
}

/** Whether the overlay covers the kiosk, and who is at it; the kiosk is held meanwhile (rule 14). */
export class Overlay {
  readonly #parts: OverlayParts;
  readonly #opened: Array<() => void> = [];
  readonly #ticked: Array<() => void> = [];
  #session: Session;
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

  /** What the kiosk did before it was covered. */
  get statusBefore(): Status | null {
    return this.#statusBefore;
  }

  permits(who: Parameters<typeof permits>[1]): boolean {
    return permits(this.#session, who);
  }

  /** Tells when pages are shown, after a PIN or without one. */
  onOpened(listener: () => void): void {
    this.#opened.push(listener);
  }

  /** Tells each second while pages are shown. */
  onTick(listener: () => void): void {
    this.#ticked.push(listener);
  }

  state(): OverlayState {
    const { preferences, rotation, kiosk } = this.#parts;
    return {
      overlay: this.#view(),
      preferences: preferences.overlay(),
      rotation,
      maintenanceUntil: kiosk?.maintenance.until() ?? null,
    };
  }

  tell(): void {
    this.#parts.send({ kind: 'overlay', state: this.state() });
  }

  /** The stage is held, where a set-up lay on it until now. */
  start(): void {
    this.#parts.kiosk?.hold('overlay', this.covers);
    this.tell();
  }

  open(): void {
    if (this.at === 'closed') this.step({ type: 'gesture', hasPin: this.#parts.hasPin() });
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
    const isOther =
      old.at !== next.at || (old.at === 'open' && next.at === 'open' && old.mayAct !== next.mayAct);
    if (isOther) this.tell();
    if (isOther && next.at === 'open') for (const listener of this.#opened) listener();
    if (covers(next)) this.#tick();
  }

  /** Says no more. */
  end(): void {
    this.#session = CLOSED;
  }

  #view(): OverlayView {
    const session = this.#session;
    switch (session.at) {
      case 'closed':
        return { view: 'closed' };
      case 'locked':
        return { view: 'locked', ...this.#parts.attempts.standing() };
      case 'open':
        return { view: 'open', mayAct: session.mayAct };
      case 'set-up':
        return { view: 'set-up' };
      default:
        return assertNever(session);
    }
  }

  #tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#parts.schedule(TICK_MS, () => {
      this.#isTicking = false;
      if (!this.covers) return;
      this.step({ type: 'tick', hasPin: this.#parts.hasPin() });
      if (this.at === 'open') for (const listener of this.#ticked) listener();
      if (this.covers) this.#tick();
    });
  }
}
