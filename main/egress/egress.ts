import type { Socket } from 'node:net';
import type { Clock } from '../../shared/clock';
import type { Schedule } from '../schedule';
import type { Http } from '../service/http';
import type { ClientCertificate } from '../settings/client-certificate';
import { proxyName } from '../settings/proxy-address';
import type { Settings } from '../settings/settings';
import { createAdsLookup, createWebLookup } from './ads-lookup';
import type { Lookup } from './checked-target';
import { createEgressPolicy, routeToService } from './egress-policy';
import { operatorHosts } from './hosts';
import { createHttpClient, type Fetch, type HttpClientOptions } from './http-client';
import { lookupBehindProxy } from './lookup-behind-proxy';
import type { NetworkGate } from './network-gate';
import { createOpenConnection } from './open-connection';
import { createProxies, NO_PROXIES, type Proxies } from './proxies';
import { reach } from './reach';

export interface EgressParts {
  /** The system's look-up, for the hosts that the operator named. */
  readonly lookup: Lookup;
  /** For the other hosts that ads name; absent: `createWebLookup`. */
  readonly webLookup?: Lookup;
  /** The system's proxy for an address, as a PAC script answers. */
  readonly systemProxy: (url: string) => Promise<string>;
  /** Null or absent: always open. */
  readonly gate?: Pick<NetworkGate, 'proxies'> | null;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly userAgent: string;
}

/**
 * Opens a connection, with TLS where `isSecure`, and through the proxy where the settings say so. `isHttp`:
 * its first request is HTTP. Rejects with a `SendError`.
 */
export type OpenToOperator = (
  to: { readonly host: string; readonly port: number; readonly isSecure: boolean; readonly isHttp: boolean },
  signal: AbortSignal,
) => Promise<Socket>;

const MAX_COUNTED = 1_000;

export type Egress = ReturnType<typeof createEgress>;

/** How requests leave the kiosk (rule 22), by `network.proxy`, `noProxy`, `caFile` and `service.headers`. */
export function createEgress(
  { network, service }: Pick<Settings, 'network' | 'service'>,
  { lookup, systemProxy, gate, schedule, clock, userAgent, ...parts }: EgressParts,
) {
  const { proxy, noProxy, additionalCas } = network;
  const chosen = createProxies({ proxy, noProxy, lookup, resolveSystem: systemProxy });
  const proxies = gate?.proxies(chosen) ?? chosen;
  const unchecked = new Set<string>();
  const serviceUrls = [service.baseUrl, service.authUrl, service.nativeUrl].filter((url) => url !== null);
  /** For names in ads where no proxy is used. */
  const adsLookup = createAdsLookup({
    operatorHosts: operatorHosts(serviceUrls, network.allowPrivateHosts),
    system: lookup,
    web: parts.webLookup ?? createWebLookup({ schedule }),
    schedule,
  });

  /** The client of requests to an address of the operator's, with its headers and certificate for mutual TLS. */
  function httpTo({
    headers,
    clientCertificate,
  }: Pick<Settings['proof'], 'headers' | 'clientCertificate'>): Http {
    const openConnection = createOpenConnection(additionalCas, shownOf(clientCertificate));
    // Each request states its own time (`Limits`).
    const totalMs = Number.POSITIVE_INFINITY;
    const fetch = createServiceFetch({ lookup, proxies, schedule, userAgent, openConnection, totalMs });
    return { fetch, clock, schedule, headers };
  }

  return {
    additionalCas,
    /** For everything that ads name. */
    egressPolicy: createEgressPolicy({
      serviceUrls,
      allowPrivateHosts: network.allowPrivateHosts,
      lookup: adsLookup,
      behindProxy: {
        proxies,
        lookup: lookupBehindProxy(adsLookup, clock.monotonic),
        onUnchecked(hostname) {
          if (unchecked.size < MAX_COUNTED) unchecked.add(hostname);
        },
      },
    }),
    /** The client of the service's own requests. */
    http: () => httpTo({ headers: service.headers, clientCertificate: null }),
    httpTo,
    /**
     * Opens connections to the operator's hosts for other protocols than HTTP, such as a broker of
     * `fleet.brokers`.
     */
    connectionsTo(clientCertificate: ClientCertificate | null): OpenToOperator {
      const shown = shownOf(clientCertificate);
      const openHttp = createOpenConnection(additionalCas, shown);
      const openOther = createOpenConnection(additionalCas, shown, []);
      const route = (url: URL) => routeToService(url, lookup, proxies);
      return async ({ host, port, isSecure, isHttp }, signal) => {
        const url = new URL(`${isSecure ? 'https' : 'http'}://${host}:${port}`);
        const openConnection = isHttp ? openHttp : openOther;
        // Whoever opens it limits its time.
        const how = { route, openConnection, connectMs: Number.POSITIVE_INFINITY, schedule };
        return (await reach(url, 'raw', how, signal)).socket;
      };
    },
    /** Without secrets. `uncheckedHosts`: of ads, that only the proxy could resolve, each once. */
    state: () => ({
      /** "system", or the proxy's address without user and password; null: none. */
      proxy: proxy === null || proxy === 'system' ? proxy : proxyName(proxy),
      uncheckedHosts: unchecked.size,
      additionalCas: additionalCas.length,
    }),
  };
}

const shownOf = (certificate: ClientCertificate | null) =>
  certificate === null ? undefined : { cert: certificate.cert, key: certificate.key.reveal() };

/**
 * A `fetch` for the service's own addresses, which the settings name and which may be anywhere. It uses the
 * same client as everything else, so that the same rules hold for connections, encodings and deadlines. It
 * does not follow redirects, so that no credential goes to another host (rule 22).
 */
export const createServiceFetch = (
  options: Omit<HttpClientOptions, 'route' | 'decodes' | 'hasSecrets'> & {
    readonly lookup: Lookup;
    readonly proxies?: Proxies;
  },
): Fetch =>
  createHttpClient({
    ...options,
    route: (url) => routeToService(url, options.lookup, options.proxies ?? NO_PROXIES),
    decodes: true,
    hasSecrets: true,
  });
