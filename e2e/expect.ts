import { expect as patient } from 'playwright/test';

/** A whole start takes ten seconds on a busy machine, and a kiosk that lost its broker reconnects only after some, ms. */
const PATIENCE_MS = 60_000;

/**
 * Playwright's `poll`, but with an interval of 50 to 150 ms throughout. The default slows down to once a
 * second, which delays each step of a long test by half a second on average.
 */
const poll: typeof patient.poll = (look, told = {}) =>
  patient.poll(look, {
    timeout: PATIENCE_MS,
    intervals: [50, 100, 150],
    ...(typeof told === 'string' ? { message: told } : told),
  });

export const expect = Object.assign(patient.configure({ timeout: PATIENCE_MS }), { poll });
