import type { Clock } from '../../shared/clock';
import { proxyName } from '../settings/proxy-address';
import type { Settings } from '../settings/settings';
import { boundedLookup } from './fence/bounded-lookup';
import type { createFence, Lookup } from './fence/fence';
import { createLateServiceFetch } from './fence/late-fetch';
import { createProxies, type Proxies } from './fence/proxies';
import type { ServiceFetch } from './fence/service-fetch';
import type { Http } from './http';
import type { Schedule } from './schedule';

/** The machine's part in how requests leave it. */
export interface EgressParts {
  readonly lookup: Lookup;
  /** What the system's proxy settings say of an address, as a PAC script answers. */
  readonly systemProxy: (url: string) => Promise<string>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** How everything leaves the kiosk (rule 22): `network.proxy`, `noProxy` and `caFile`, and `service.headers`. */
export interface Egress {
  /** For what ads name: `createFence` takes it as it is. */
  readonly behindProxy: NonNullable<Parameters<typeof createFence>[0]['behindProxy']>;
  readonly additionalCas: readonly string[];
  /** The client of the service's own requests. `through` stands before its fetch (the network gate). */
  http(through?: (fetch: ServiceFetch) => ServiceFetch): Http;
  /** Without secrets. */
  state(): EgressState;
}

export interface EgressState {
  /** "system", or its address without user and password; null: none. */
  readonly proxy: string | null;
  /** Hosts of ads that only the proxy could resolve, each once, at most 1,000. */
  readonly uncheckedHosts: number;
  readonly additionalCas: number;
}

const MOST_COUNTED = 1_000;

export function createEgress(
  { network, service }: Pick<Settings, 'network' | 'service'>,
  { lookup, systemProxy, schedule, clock, userAgent }: EgressParts,
): Egress {
  const { proxy, noProxy, additionalCas } = network;
  const proxies: Proxies = createProxies({ proxy, noProxy, lookup, resolveSystem: systemProxy });
  const unchecked = new Set<string>();
  return {
    additionalCas,
    behindProxy: {
      proxies,
      lookup: boundedLookup(lookup, schedule, clock),
      onUnchecked(hostname) {
        if (unchecked.size < MOST_COUNTED) unchecked.add(hostname);
      },
    },
    http(through = (fetch) => fetch) {
      const fetch = createLateServiceFetch({ lookup, proxies, additionalCas, schedule, userAgent });
      return { fetch: through(fetch), clock, schedule, headers: service.headers };
    },
    state: () => ({
      proxy: proxy === null || proxy === 'system' ? proxy : proxyName(proxy),
      uncheckedHosts: unchecked.size,
      additionalCas: additionalCas.length,
    }),
  };
}
