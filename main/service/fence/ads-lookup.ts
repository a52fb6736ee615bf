import type { Schedule } from '../schedule';
import { boundedLookup, sharedLookup } from './bounded-lookup';
import type { Lookup } from './fence';

/** How long a name of the operator waits for the one before it, ms. */
const WAIT_MS = 3_000;

/**
 * The look-up for names in ads. Ads can name any number of hosts with silent name
 * servers, so their names go to `web`, which holds no thread. Hosts that the operator
 * named may be in the hosts file or on the local network: those go to `system`, one at
 * a time, because the service's own look-ups share its threads.
 *
 * @param options.operatorHosts lower case, without a trailing dot
 */
export function createAdsLookup(options: {
  readonly operatorHosts: ReadonlySet<string>;
  readonly system: Lookup;
  readonly web: Lookup;
  readonly schedule: Schedule;
}): Lookup {
  const { operatorHosts, web, schedule } = options;
  const named = sharedLookup(boundedLookup(options.system, { mostAtOnce: 1, waitMs: WAIT_MS, schedule }));
  return (hostname) => (operatorHosts.has(hostname.replace(/\.$/, '')) ? named(hostname) : web(hostname));
}
