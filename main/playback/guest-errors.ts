import { MAX_GUEST_ERROR_LENGTH, MAX_GUEST_ERRORS } from '../../shared/play';
import { withoutSecrets } from '../status/shown-text';

/** Errors of scripts and violations of the policy in one guest. */
export interface GuestErrors {
  /** Keeps an error; an equal one, and those beyond `MAX_GUEST_ERRORS`, change nothing. */
  add(detail: string): void;
  /** In the order in which they came; grows while the guest lives. */
  readonly all: readonly string[];
}

/** Collects what is stored with a play (`Play.guestErrors`). */
export function createGuestErrors(): GuestErrors {
  const all: string[] = [];
  return {
    all,
    add(detail) {
      // Cut first: two errors that differ beyond what is kept are the same to a reader.
      const error = addressesPlain(detail).slice(0, MAX_GUEST_ERROR_LENGTH).toWellFormed();
      if (all.length < MAX_GUEST_ERRORS && !all.includes(error)) all.push(error);
    },
  };
}

/** Signed addresses carry keys (rule 23). */
const addressesPlain = (text: string) => text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"<>]+/gi, withoutSecrets);
