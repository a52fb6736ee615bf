import type { LookupAddress } from 'node:dns';
import { startDeadline } from '../deadline';
import type { Schedule } from '../schedule';
import { shared } from '../turns';
import { boundedLookup } from './bounded-lookup';
import type { Lookup } from './checked-target';

/** Longest time that a look-up of an operator's host waits for the one before it, ms. */
const WAIT_MS = 3_000;
/** Longest time for the look-up of any other host, ms. */
export const WEB_LOOKUP_MS = 3_000;
/**
 * Longest wait for IPv6 addresses once those of IPv4 are there, ms: some name servers never answer for IPv6
 * (RFC 8305, section 3, which advises 50 ms).
 */
const IPV6_LATER_MS = 250;
/** Look-ups at the same time; each has its own socket. */
const MAX_AT_ONCE = 128;
/** A lost packet is repeated after this time, ms. */
const TRY_MS = 1_000;

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
  const named = shared(boundedLookup(options.system, { mostAtOnce: 1, waitMs: WAIT_MS, schedule }));
  return (hostname) => (operatorHosts.has(hostname.replace(/\.$/, '')) ? named(hostname) : web(hostname));
}

/**
 * Looks names up at the name servers of the system's configuration (DNS only: no hosts file, mDNS or search
 * domain). Unlike the system's look-up it occupies no thread: Node runs only two of those at once, and a name
 * server that does not answer blocks each for 10 s or more, and the service's look-ups behind it.
 *
 * IPv4 addresses come first, then IPv6. Waits at most 3 s for a place, then at most 3 s for the addresses, and for those
 * of IPv6 at most 250 ms longer than for those of IPv4. All checks see only the addresses that are returned (rule 22).
 * Rejects with the code `ETIMEOUT`, with `EBUSY` (no place), or with Node's code of a DNS error.
 *
 * @param options.servers `address:port` instead of the system's, for tests
 */
export function createWebLookup(options: {
  readonly schedule: Schedule;
  readonly servers?: readonly string[];
  readonly mostAtOnce?: number;
}): Lookup {
  const { schedule, servers, mostAtOnce = MAX_AT_ONCE } = options;

  const ask: Lookup = async (hostname) => {
    // Because of this await, the deadline of this look-up starts after those of the names that wait for its
    // place.
    const { Resolver } = await import('node:dns/promises');
    // A new resolver for each name: it uses the current configuration and its own port, and can be cancelled
    // alone.
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (servers) resolver.setServers(servers);
    const deadline = startDeadline(WEB_LOOKUP_MS, schedule);
    deadline.signal.addEventListener('abort', () => resolver.cancel());
    const waitForOthers = (addresses: string[]): string[] => {
      schedule(IPV6_LATER_MS, () => resolver.cancel());
      return addresses;
    };
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname).then(waitForOthers),
      resolver.resolve6(hostname),
    ]);
    deadline.release();
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    if (deadline.signal.aborted)
      throw Object.assign(new Error(`no answer for ${hostname}`), { code: 'ETIMEOUT' });
    // ENODATA (no address of this family) explains less than the error of the other query.
    const errors = [v4, v6].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    throw (
      errors.find(({ code }) => code !== 'ENODATA') ?? errors[0] ?? new Error(`${hostname} has no address`)
    );
  };
  return shared(boundedLookup(ask, { mostAtOnce, waitMs: WEB_LOOKUP_MS, schedule }));
}

function addressesOf(result: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}
