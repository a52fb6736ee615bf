import { expect as patient } from 'playwright/test';

/**
 * Playwright's `poll`, but with an interval of 50 to 150 ms throughout. The default slows down to once a
 * second, which delays each step of a long test by half a second on average.
 */
const poll: typeof patient.poll = (look, told = {}) =>
  patient.poll(look, {
    intervals: [50, 100, 150],
    ...(typeof told === 'string' ? { message: told } : told),
  });

export const expect = Object.assign(patient.configure({}), { poll });
