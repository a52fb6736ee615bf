import type { Clock } from '../../../shared/clock';
import type { Schedule } from '../schedule';
import { isPublicAddress } from './address-ranges';
import { type Lookup, UNANSWERED } from './fence';

/** A resolver that is there answers by then, ms. */
const ANSWER_MS = 2_000;
/** Of the system's look-ups, which cannot be called off, Node runs four at once. */
const MOST_UNANSWERED = 2;
/** After an answer DNS counts as there for so long, ms. */
const THERE_MS = 10 * 60_000;

/**
 * A look-up for behind a proxy, where often no DNS answers at all and the system
 * waits for 10 s and more: it fails after 2 s, and at once while two others have
 * not been answered. The code of that error is `UNANSWERED` where DNS has found a
 * name of the internet in the last 10 minutes: then it is this name's own server
 * that is silent, perhaps on purpose. Else it is `ETIMEOUT`.
 */
export function boundedLookup(lookup: Lookup, schedule: Schedule, clock: Pick<Clock, 'monotonic'>): Lookup {
  let unanswered = 0;
  let foundAt = Number.NEGATIVE_INFINITY;

  const noAnswer = (hostname: string) =>
    Object.assign(new Error(`no answer for ${hostname}`), {
      code: clock.monotonic() - foundAt < THERE_MS ? UNANSWERED : 'ETIMEOUT',
    });

  async function asked(hostname: string) {
    try {
      const addresses = await lookup(hostname);
      // A store's own DNS may know its own names alone.
      if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address)))
        foundAt = clock.monotonic();
      return addresses;
    } catch (fault) {
      // What the system says once it has waited long enough.
      if (fault instanceof Error && 'code' in fault && fault.code === 'EAI_AGAIN') throw noAnswer(hostname);
      throw fault;
    }
  }

  return async (hostname) => {
    if (unanswered >= MOST_UNANSWERED) throw noAnswer(hostname);
    const answer = asked(hostname);
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
    answer.then(answered, answered);
    return Promise.race([answer, late]);
  };
}
