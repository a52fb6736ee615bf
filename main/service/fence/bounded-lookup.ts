import type { Schedule } from '../schedule';
import type { Lookup } from './fence';

/** A resolver that is there answers by then, ms. */
const ANSWER_MS = 2_000;
/** Of the system's look-ups, which cannot be called off, Node runs four at once. */
const MOST_UNANSWERED = 2;

/**
 * A look-up for behind a proxy, where often no DNS answers at all and the system
 * waits for 10 s and more: it fails after 2 s, and at once while two others have
 * not been answered.
 */
export function boundedLookup(lookup: Lookup, schedule: Schedule): Lookup {
  let unanswered = 0;
  return async (hostname) => {
    if (unanswered >= MOST_UNANSWERED) throw noAnswer(hostname);
    const asked = lookup(hostname);
    let cancel = (): void => {};
    let isLate = false;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = schedule(ANSWER_MS, () => {
        isLate = true;
        unanswered += 1;
        reject(noAnswer(hostname));
      });
    });
    const answered = () => {
      cancel();
      if (isLate) unanswered -= 1;
    };
    asked.then(answered, answered);
    return Promise.race([asked, late]);
  };
}

const noAnswer = (hostname: string) =>
  Object.assign(new Error(`no answer for ${hostname}`), { code: 'ETIMEOUT' });
