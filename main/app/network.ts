import { release } from 'node:os';
import { createEgress, type Egress, type EgressParts } from '../service/egress';
import { createFence, type Fence, type FencePurpose } from '../service/fence/fence';
import { createFencedFetch, type FencedFetch } from '../service/fence/fenced-fetch';
import { createOpenConnection } from '../service/fence/open-connection';
import { systemLookup } from '../service/fence/system-lookup';
import type { Http } from '../service/http';
import { type NativeDevice, nativeDevice } from '../service/native/native-device';
import { createNetworkGate, type NetworkGate, type SafeStart } from '../service/network-gate';
import { timers } from '../service/schedule';
import { nativeUserAgent } from '../settings/native-params';
import type { Settings } from '../settings/settings';
import type { DecidedClock } from '../shell/decided-clock';
import { systemProxy } from '../shell/system-proxy';
import { productName, userAgent, versions } from '../shell/this-machine';
import type { Core } from './core';

/** The ways out of the kiosk (rule 22). Nothing is asked for until somebody uses one. */
export interface Network {
  readonly egress: Egress;
  /** Closed during a safe start (rule 25). */
  readonly gate: NetworkGate;
  /** For the service's own requests. */
  readonly http: Http;
  /** What an ad names is reached through the fence only. */
  readonly fence: Fence;
  fencedFetch(purpose: FencePurpose): FencedFetch;
  /** Of requests that an ad causes (rule 19). */
  readonly adsUserAgent: string;
}

export function createNetwork({ settings, clock, schedule }: Core, safeStart: SafeStart | null): Network {
  const { baseUrl, authUrl, nativeUrl } = settings.service;
  const egress = createEgress(settings, egressParts(clock));
  const gate = createNetworkGate(safeStart, schedule);
  const fence = gate.fence(
    createFence({
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
    fence,
    fencedFetch: (purpose) =>
      createFencedFetch({ fence, purpose, schedule, userAgent: adsUserAgent, openConnection }),
    adsUserAgent,
  };
}

/** This machine as native requests describe it. */
export async function thisDevice(): Promise<NativeDevice> {
  return nativeDevice({
    platform: process.platform,
    release: release(),
    arch: process.arch,
    productName: await productName(),
    userAgent: userAgent(),
  });
}

/** The client of the service as other settings name it, for a connection test: with the kiosk's own ways out. */
export const httpOf =
  (clock: DecidedClock, gate: NetworkGate | null) =>
  (settings: Pick<Settings, 'network' | 'service'>): Http =>
    createEgress(settings, egressParts(clock)).http(gate?.fetch);

const egressParts = (clock: DecidedClock): EgressParts => ({
  ...{ lookup: systemLookup, systemProxy, schedule: timers, clock },
  userAgent: `Endcap/${versions.endcap}`,
});
