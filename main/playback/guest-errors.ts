import { MAX_GUEST_ERROR_LENGTH, MAX_GUEST_ERRORS } from '../../shared/play';
import { withoutSecrets } from '../status/shown-text';

export type GuestErrors = ReturnType<typeof createGuestErrors>;

/** Collects errors of scripts and violations of the policy in one guest, for its play (`Play.guestErrors`). */
export function createGuestErrors() {
  const all: string[] = [];
  return {
    /** In the order in which they came; grows while the guest lives. */
    all: all as readonly string[],
    /** Stores an error; ignores repeats, and errors beyond `MAX_GUEST_ERRORS`. */
    add(detail: string): void {
      // Cut before comparing: errors that differ only in the part cut off look the same to a reader.
      const error = addressesPlain(detail).slice(0, MAX_GUEST_ERROR_LENGTH).toWellFormed();
      if (all.length < MAX_GUEST_ERRORS && !all.includes(error)) all.push(error);
    },
  };
}

/** Removes secrets from addresses: signed ones carry keys (rule 23). */
const addressesPlain = (text: string) => text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"<>]+/gi, withoutSecrets);
