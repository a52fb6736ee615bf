import { release } from 'node:os';
import { createAdFetch } from '../egress/ad-fetch';
import { systemLookup } from '../egress/bounded-lookup';
import { createEgress, type Egress, type EgressParts } from '../egress/egress';
import { createEgressPolicy, type EgressPolicy, type EgressPurpose } from '../egress/egress-policy';
import type { Fetch } from '../egress/http-client';
import { createNetworkGate, type NetworkGate, type SafeStart } from '../egress/network-gate';
import { createOpenConnection } from '../egress/open-connection';
import { type NativeDevice, nativeDevice } from '../native/native-device';
import { timers } from '../schedule';
import type { Http } from '../service/http';
import { nativeUserAgent } from '../settings/native-params';
import type { Settings } from '../settings/settings';
import type { DecidedClock } from '../shell/decided-clock';
import { productName, systemProxy, userAgent, versions } from '../shell/this-machine';
import type { Core } from './core';

/** The network as the kiosk may use it (rule 22). Makes no request by itself. */
export interface Network {
  readonly egress: Egress;
  /** Closed during a safe start (rule 25). */
  readonly gate: NetworkGate;
  /** For the service's own requests. */
  readonly http: Http;
  /** What an ad names is reached through the egress policy only. */
  readonly egressPolicy: EgressPolicy;
  adFetch(purpose: EgressPurpose): Fetch;
  /** The user agent of requests that an ad causes (rule 19). */
  readonly adsUserAgent: string;
}

export function createNetwork({ settings, clock, schedule }: Core, safeStart: SafeStart | null): Network {
  const { baseUrl, authUrl, nativeUrl } = settings.service;
  const egress = createEgress(settings, egressParts(clock));
  const gate = createNetworkGate(safeStart, schedule);
  const egressPolicy = gate.egressPolicy(
    createEgressPolicy({
      serviceUrls: [baseUrl, authUrl, nativeUrl].filter((url) => url !== null),
      allowPrivateHosts: settings.network.allowPrivateHosts,
      lookup: egress.adsLookup,
      behindProxy: egress.behindProxy,
    }),
  );
  const adsUserAgent = nativeUserAgent(settings.native.params, userAgent());
  const openConnection = createOpenConnection(egress.additionalCas);
  return {
    egress,
    gate,
    http: egress.http(gate.fetch),
    egressPolicy,
    adFetch: (purpose) =>
      createAdFetch({ egressPolicy, purpose, schedule, userAgent: adsUserAgent, openConnection }),
    adsUserAgent,
  };
}

/** The device parameters of this machine for native requests. */
export async function thisDevice(): Promise<NativeDevice> {
  return nativeDevice({
    platform: process.platform,
    release: release(),
    arch: process.arch,
    productName: await productName(),
    userAgent: userAgent(),
  });
}

/** For a connection test: a client for the service of other settings, with the kiosk's own network gate. */
export const httpOf =
  (clock: DecidedClock, gate: NetworkGate | null) =>
  (settings: Pick<Settings, 'network' | 'service'>): Http =>
    createEgress(settings, egressParts(clock)).http(gate?.fetch);

const egressParts = (clock: DecidedClock): EgressParts => ({
  ...{ lookup: systemLookup, systemProxy, schedule: timers, clock },
  userAgent: `Endcap/${versions.endcap}`,
});
