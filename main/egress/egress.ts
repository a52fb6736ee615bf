import type { Clock } from '../../shared/clock';
import type { Http } from '../service/http';
import type { Schedule } from '../service/schedule';
import type { ClientCertificate } from '../settings/client-certificate';
import { proxyName } from '../settings/proxy-address';
import type { ServiceHeader } from '../settings/service-headers';
import type { Settings } from '../settings/settings';
import { createAdsLookup, createWebLookup } from './ads-lookup';
import type { createEgressPolicy, Lookup } from './egress-policy';
import { operatorHosts } from './hosts';
import type { Fetch } from './http-client';
import { lookupBehindProxy } from './lookup-behind-proxy';
import { createOpenConnection } from './open-connection';
import { createProxies, type Proxies } from './proxies';
import { createServiceFetch } from './service-fetch';

/** What egress needs of the machine. */
export interface EgressParts {
  /** The system's, for the hosts that the operator named. */
  readonly lookup: Lookup;
  /** For all other hosts, which ads name; absent: `createWebLookup`. */
  readonly webLookup?: Lookup;
  /** The system's proxy for an address, as a PAC script answers. */
  readonly systemProxy: (url: string) => Promise<string>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** How everything leaves the kiosk (rule 22): `network.proxy`, `noProxy` and `caFile`, and `service.headers`. */
export interface Egress {
  /** For names in ads, without a proxy. */
  readonly adsLookup: Lookup;
  /** For what ads name: `createEgressPolicy` takes it as it is. */
  readonly behindProxy: NonNullable<Parameters<typeof createEgressPolicy>[0]['behindProxy']>;
  readonly additionalCas: readonly string[];
  /** The client of the service's own requests. `through` wraps its fetch (the network gate). */
  http(through?: (fetch: Fetch) => Fetch): Http;
  /** The client of requests to another address of the operator's: `proof.url`, with its headers and certificate. */
  httpTo(to: OperatorAddress, through: (fetch: Fetch) => Fetch): Http;
  /** Without secrets. */
  state(): EgressState;
}

/** An address of the operator's that is not the service's. */
export interface OperatorAddress {
  readonly headers: readonly ServiceHeader[];
  /** For mutual TLS; null: none. */
  readonly clientCertificate: ClientCertificate | null;
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
    httpTo({ headers, clientCertificate }, through) {
      const shown = clientCertificate && {
        cert: clientCertificate.cert,
        key: clientCertificate.key.reveal(),
      };
      const openConnection = createOpenConnection(additionalCas, shown ?? undefined);
      const fetch = createServiceFetch({ lookup, proxies, schedule, userAgent, openConnection });
      return { fetch: through(fetch), clock, schedule, headers };
    },
    state: () => ({
      proxy: proxy === null || proxy === 'system' ? proxy : proxyName(proxy),
      uncheckedHosts: unchecked.size,
      additionalCas: additionalCas.length,
    }),
  };
}
