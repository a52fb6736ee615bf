import { LOCKS_AFTER_MS } from '../../shared/admin';

/** The state of the overlay; times are monotonic ms. */
export type Session =
  | { readonly at: 'closed' }
  /** The PIN pad. */
  | { readonly at: 'locked'; readonly lastInputAt: number }
  | { readonly at: 'open'; readonly mayAct: boolean; readonly lastInputAt: number }
  | { readonly at: 'set-up' };

export type SessionEvent =
  | { readonly type: 'gesture'; readonly hasPin: boolean }
  | { readonly type: 'unlocked' }
  | { readonly type: 'lock' }
  | { readonly type: 'close' }
  /** A key, a press or a turn of the wheel: somebody is there. */
  | { readonly type: 'input' }
  /** Time has passed. */
  | { readonly type: 'tick' };

export const CLOSED: Session = { at: 'closed' };

/** The session after an event at `now` (monotonic ms). A first set-up stays until the kiosk has settings. */
export function stepSession(session: Session, event: SessionEvent, now: number): Session {
  if (session.at === 'set-up') return session;
  switch (event.type) {
    case 'gesture':
      return session.at === 'closed' ? opened(event.hasPin, now) : { ...session, lastInputAt: now };
    case 'unlocked':
      return session.at === 'locked' ? { at: 'open', mayAct: true, lastInputAt: now } : session;
    case 'lock':
      return session.at === 'open' ? relocked(session, now) : session;
    case 'close':
      return CLOSED;
    case 'input':
      return session.at === 'closed' ? session : { ...session, lastInputAt: now };
    case 'tick':
      if (session.at === 'closed' || now - session.lastInputAt < LOCKS_AFTER_MS) return session;
      return session.at === 'open' ? relocked(session, now) : CLOSED;
  }
}

/** Without a PIN the overlay opens at once, but permits no actions. */
function opened(hasPin: boolean, now: number): Session {
  return hasPin ? { at: 'locked', lastInputAt: now } : { at: 'open', mayAct: false, lastInputAt: now };
}

/** Only who entered the PIN can enter it again. */
const relocked = ({ mayAct }: Extract<Session, { at: 'open' }>, now: number): Session =>
  mayAct ? { at: 'locked', lastInputAt: now } : CLOSED;

/** Whether the stage is covered, so that the loop is held (rule 14). */
export function covers(session: Session): boolean {
  return session.at !== 'closed';
}

/** Whether this session permits the calls that are open to `who`. */
export function permits(session: Session, who: 'anybody' | 'viewer' | 'actor' | 'set-up'): boolean {
  switch (who) {
    case 'anybody':
      return true;
    case 'viewer':
      return session.at === 'open';
    case 'actor':
      return session.at === 'open' && session.mayAct;
    case 'set-up':
      return session.at === 'set-up' || (session.at === 'open' && session.mayAct);
  }
}
