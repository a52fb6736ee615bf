import type { Clock } from '../../shared/clock';
import { proxyName } from '../settings/proxy-address';
import type { Settings } from '../settings/settings';
import { createAdsLookup } from './fence/ads-lookup';
import type { createFence, Lookup } from './fence/fence';
import { lookupBehindProxy } from './fence/lookup-behind-proxy';
import { createOpenConnection } from './fence/open-connection';
import { operatorHosts } from './fence/operator-hosts';
import { createProxies, type Proxies } from './fence/proxies';
import { createServiceFetch, type ServiceFetch } from './fence/service-fetch';
import { createWebLookup } from './fence/web-lookup';
import type { Http } from './http';
import type { Schedule } from './schedule';

/** The machine's part in how requests leave it. */
export interface EgressParts {
  /** The system's, for the hosts that the operator named. */
  readonly lookup: Lookup;
  /** For all other hosts, which ads name; absent: `createWebLookup`. */
  readonly webLookup?: Lookup;
  /** What the system's proxy settings say of an address, as a PAC script answers. */
  readonly systemProxy: (url: string) => Promise<string>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** How everything leaves the kiosk (rule 22): `network.proxy`, `noProxy` and `caFile`, and `service.headers`. */
export interface Egress {
  /** For names in ads, without a proxy. */
  readonly adsLookup: Lookup;
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
  { lookup, systemProxy, schedule, clock, userAgent, ...parts }: EgressParts,
): Egress {
  const { proxy, noProxy, additionalCas } = network;
  const proxies: Proxies = createProxies({ proxy, noProxy, lookup, resolveSystem: systemProxy });
  const unchecked = new Set<string>();
  const serviceUrls = [service.baseUrl, service.authUrl, service.nativeUrl].filter((url) => url !== null);
  const adsLookup = createAdsLookup({
    operatorHosts: operatorHosts(serviceUrls, network.allowPrivateHosts),
    ...{ system: lookup, web: parts.webLookup ?? createWebLookup({ schedule }), schedule },
  });
  return {
    adsLookup,
    additionalCas,
    behindProxy: {
      proxies,
      lookup: lookupBehindProxy(adsLookup, clock.monotonic),
      onUnchecked(hostname) {
        if (unchecked.size < MOST_COUNTED) unchecked.add(hostname);
      },
    },
    http(through = (fetch) => fetch) {
      const openConnection = createOpenConnection(additionalCas);
      const fetch = createServiceFetch({ lookup, proxies, schedule, userAgent, openConnection });
      return { fetch: through(fetch), clock, schedule, headers: service.headers };
    },
    state: () => ({
      proxy: proxy === null || proxy === 'system' ? proxy : proxyName(proxy),
      uncheckedHosts: unchecked.size,
      additionalCas: additionalCas.length,
    }),
  };
}
