import { errorCode } from '../describe-error';
import { isPublicAddress } from './address-ranges';
import type { Lookup } from './checked-target';

/** Error code: the look-up failed although DNS works here, so the name must not pass unchecked. */
export const UNANSWERED = 'unanswered';

/** How long DNS counts as working after a look-up with a public address, ms. */
const WORKS_FOR_MS = 10 * 60_000;
/** Pause before an unanswered name is looked up again, ms: pages ask with each connection. */
const SILENT_FOR_MS = 60_000;
const MAX_SILENT = 1_000;
/** The name server does not know the name; the proxy may. */
const UNKNOWN_HERE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED']);
/** No DNS answers here, or the name's own server is silent. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ESERVFAIL', 'EAI_AGAIN']);

/**
 * The look-up of ads' names behind a proxy (rule 22). It rejects with the error of `lookup` if only the proxy
 * can resolve the name: a name server does not know it, or no DNS server answers here at all. It rejects with
 * the code `UNANSWERED` if DNS gave a public address within the last ten minutes but does not answer for this
 * name, or if the look-up failed for another reason.
 *
 * Private addresses do not show that DNS works: some stores resolve only their own names, and an ad with one
 * of those must not block all other ads.
 *
 * @param monotonic ms
 */
export function lookupBehindProxy(lookup: Lookup, monotonic: () => number): Lookup {
  let answeredAt = Number.NEGATIVE_INFINITY;
  const silent = new Map<string, { readonly until: number; readonly error: unknown }>();

  return async (hostname) => {
    const known = silent.get(hostname);
    if (known && monotonic() < known.until) throw known.error;
    try {
      const addresses = await lookup(hostname);
      if (addresses.some(({ address }) => isPublicAddress(address))) {
        answeredAt = monotonic();
        silent.clear();
      }
      return addresses;
    } catch (error) {
      const code = errorCode(error);
      if (UNKNOWN_HERE.has(code)) throw error;
      const works = monotonic() - answeredAt < WORKS_FOR_MS;
      if (works || !NO_ANSWER.has(code)) {
        throw Object.assign(new Error(`no answer for ${hostname}`, { cause: error }), { code: UNANSWERED });
      }
      if (silent.size >= MAX_SILENT) silent.clear();
      silent.set(hostname, { until: monotonic() + SILENT_FOR_MS, error });
      throw error;
    }
  };
}
