import { expect as patient } from 'playwright/test';

/**
 * Playwright's `poll`, looking again after a tenth of a second or two throughout. Its own slows down
 * to once a second, so that each step of a long journey ends half a second later than it could.
 */
const poll: typeof patient.poll = (look, told = {}) =>
  patient.poll(look, {
    intervals: [50, 100, 150],
    ...(typeof told === 'string' ? { message: told } : told),
  });

export const expect = Object.assign(patient.configure({}), { poll });
