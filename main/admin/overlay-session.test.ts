import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCKS_AFTER_MS } from '../../shared/admin';
import { CLOSED, covers, permits, type Session, type SessionEvent, stepSession } from './overlay-session';
import { FREE_ATTEMPTS, waitAfter } from './pin-attempts';

const locked: Session = { at: 'locked', lastInputAt: 0 };
const open: Session = { at: 'open', mayAct: true, lastInputAt: 0 };
const showing: Session = { at: 'open', mayAct: false, lastInputAt: 0 };
const setUp: Session = { at: 'set-up' };

describe('the overlay', () => {
  it.each<[string, Session, SessionEvent, number, Session]>([
    ['asks for the PIN', CLOSED, { type: 'gesture', hasPin: true }, 5, { ...locked, lastInputAt: 5 }],
    ['only shows without one', CLOSED, { type: 'gesture', hasPin: false }, 5, { ...showing, lastInputAt: 5 }],
    ['opens with the right PIN', locked, { type: 'unlocked' }, 5, { ...open, lastInputAt: 5 }],
    ['cannot be unlocked while closed', CLOSED, { type: 'unlocked' }, 5, CLOSED],
    ['cannot be unlocked where there is no PIN', showing, { type: 'unlocked' }, 5, showing],
    [
      'stays open with another gesture',
      open,
      { type: 'gesture', hasPin: true },
      5,
      { ...open, lastInputAt: 5 },
    ],
    ['keeps its pad where it is locked', locked, { type: 'lock' }, 5, locked],
    ['can be locked', open, { type: 'lock' }, 5, { ...locked, lastInputAt: 5 }],
    ['closes where it cannot be locked', showing, { type: 'lock' }, 5, CLOSED],
    ['closes', open, { type: 'close' }, 5, CLOSED],
    ['stays open with input', open, { type: 'input' }, 5, { ...open, lastInputAt: 5 }],
    ['stays closed with input', CLOSED, { type: 'input' }, 5, CLOSED],
    ['stays open for a minute', open, { type: 'tick' }, LOCKS_AFTER_MS - 1, open],
    [
      'locks itself after a minute',
      open,
      { type: 'tick' },
      LOCKS_AFTER_MS,
      { ...locked, lastInputAt: LOCKS_AFTER_MS },
    ],
    ['closes after a minute where it only shows', showing, { type: 'tick' }, LOCKS_AFTER_MS, CLOSED],
    ['gives the screen back when nobody enters a PIN', locked, { type: 'tick' }, LOCKS_AFTER_MS, CLOSED],
    [
      'leaves time to enter a PIN after the first wait for wrong ones',
      locked,
      { type: 'tick' },
      waitAfter(FREE_ATTEMPTS) + 20_000,
      locked,
    ],
    ['stays as a first set-up, whatever happens', setUp, { type: 'close' }, 5, setUp],
  ])('%s', (_case, session, event, now, expected) => {
    expect(stepSession(session, event, now)).toEqual(expected);
  });

  it.each<[Session, boolean, boolean, boolean, boolean]>([
    [CLOSED, false, false, false, false],
    [locked, true, false, false, false],
    [showing, true, true, false, false],
    [open, true, true, true, true],
    [setUp, true, false, false, true],
  ])('%o: covers %s, viewer %s, actor %s, set-up %s', (session, covering, viewer, actor, mayset) => {
    expect([
      covers(session),
      permits(session, 'viewer'),
      permits(session, 'actor'),
      permits(session, 'set-up'),
    ]).toEqual([covering, viewer, actor, mayset]);
    expect(permits(session, 'anybody')).toBe(true);
  });

  it('permits actions only after the right PIN, and not after a minute without input', () => {
    const event: fc.Arbitrary<SessionEvent> = fc.constantFrom<SessionEvent>(
      { type: 'gesture', hasPin: true },
      { type: 'lock' },
      { type: 'close' },
      { type: 'input' },
      { type: 'tick' },
      { type: 'unlocked' },
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.integer({ min: 0, max: 70_000 })), { maxLength: 60, size: 'max' }),
        (steps) => {
          let session = CLOSED;
          let now = 0;
          let mayAct = false;
          let lastInputAt = 0;
          for (const [step, wait] of steps) {
            now += wait;
            // The tick comes first, so that the time that has passed counts before the step.
            session = stepSession(session, { type: 'tick' }, now);
            if (now - lastInputAt >= LOCKS_AFTER_MS) mayAct = false;
            const wasLocked = session.at === 'locked';
            session = stepSession(session, step, now);
            if (step.type === 'unlocked' && wasLocked) mayAct = true;
            if (step.type === 'close' || step.type === 'lock') mayAct = false;
            if (['gesture', 'input', 'unlocked'].includes(step.type)) lastInputAt = now;
            if (permits(session, 'actor')) expect(mayAct).toBe(true);
          }
        },
      ),
    );
  });
});
