import type { LookupAddress } from 'node:dns';
import type { Schedule } from '../service/schedule';
import { boundedLookup, sharedLookup } from './bounded-lookup';
import type { Lookup } from './egress-policy';

/** How long a name of the operator waits for the one before it, ms. */
const WAIT_MS = 3_000;
/** Longest time for the answer about another name, ms. */
export const WEB_LOOKUP_MS = 3_000;
/** Each has a socket of its own. */
const MOST_AT_ONCE = 128;
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
  const named = sharedLookup(boundedLookup(options.system, { mostAtOnce: 1, waitMs: WAIT_MS, schedule }));
  return (hostname) => (operatorHosts.has(hostname.replace(/\.$/, '')) ? named(hostname) : web(hostname));
}

/**
 * Looks names up by asking the name servers of the system's configuration (DNS
 * only: no hosts file, mDNS or search domain). Unlike the system's look-up it holds no
 * thread: Node runs two of those at once, and a silent name server holds each for
 * 10 s and more, the service's own behind them.
 *
 * IPv4 addresses come first, then IPv6. Rejects after 3 s with the code `ETIMEOUT`, with
 * `TOO_MANY_LOOKUPS`, or with Node's code of a DNS error.
 *
 * @param options.servers `address:port` instead of the system's, for tests
 */
export function createWebLookup(options: {
  readonly schedule: Schedule;
  readonly servers?: readonly string[];
  readonly mostAtOnce?: number;
}): Lookup {
  const { schedule, servers, mostAtOnce = MOST_AT_ONCE } = options;

  const ask: Lookup = async (hostname) => {
    // The deadline of this name begins behind those of the names that wait for it.
    const { Resolver } = await import('node:dns/promises');
    // A new one each time: it reads the configuration of now, has a port of its own, and can be cancelled alone.
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (servers) resolver.setServers(servers);
    let isLate = false;
    const cancelDeadline = schedule(WEB_LOOKUP_MS, () => {
      isLate = true;
      resolver.cancel();
    });
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    cancelDeadline();
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    if (isLate) throw Object.assign(new Error(`no answer for ${hostname}`), { code: 'ETIMEOUT' });
    // "It has no such address" says less than an error of the other question.
    const errors = [v4, v6].flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    throw (
      errors.find(({ code }) => code !== 'ENODATA') ?? errors[0] ?? new Error(`${hostname} has no address`)
    );
  };
  return sharedLookup(boundedLookup(ask, { mostAtOnce, waitMs: WEB_LOOKUP_MS, schedule }));
}

function addressesOf(result: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}
