import { release } from 'node:os';
import { createAdFetch } from '../egress/ad-fetch';
import { systemLookup } from '../egress/bounded-lookup';
import { createEgress, type EgressParts } from '../egress/egress';
import type { EgressPurpose } from '../egress/egress-policy';
import { createNetworkGate, type NetworkGate } from '../egress/network-gate';
import { createOpenConnection } from '../egress/open-connection';
import { type NativeDevice, nativeDevice } from '../native/native-device';
import { timers } from '../schedule';
import type { Http } from '../service/http';
import { nativeUserAgent } from '../settings/native-params';
import type { Settings } from '../settings/settings';
import type { DecidedClock } from '../shell/decided-clock';
import { productName, systemProxy, userAgent, versions } from '../shell/this-machine';
import type { Core } from './core';

export type Network = ReturnType<typeof createNetwork>;

/** The network as the kiosk may use it (rule 22). Makes no request by itself. */
export function createNetwork({ settings, clock, schedule }: Core, isSafeStart: boolean) {
  const gate = createNetworkGate(isSafeStart, schedule);
  const egress = createEgress(settings, egressParts(clock, gate));
  const { egressPolicy } = egress;
  const adsUserAgent = nativeUserAgent(settings.native.params, userAgent());
  const openConnection = createOpenConnection(egress.additionalCas);
  return {
    egress,
    /** Closed during a safe start (rule 25). */
    gate,
    /** For the service's own requests. */
    http: egress.http(),
    /**
     * For pages that an ad names, which reach the web through the egress policy only, with the user agent of requests
     * that an ad causes (rule 19).
     */
    ofAds: { egressPolicy, userAgent: adsUserAgent },
    /** How the kiosk names itself to the service (rule 19) and in the macro `[CLIENTUA]`. */
    player: player(),
    adFetch: (purpose: EgressPurpose) =>
      createAdFetch({ egressPolicy, purpose, schedule, userAgent: adsUserAgent, openConnection }),
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
    createEgress(settings, egressParts(clock, gate)).http();

const egressParts = (clock: DecidedClock, gate: NetworkGate | null): EgressParts => ({
  lookup: systemLookup,
  systemProxy,
  gate,
  schedule: timers,
  clock,
  userAgent: player(),
});

const player = () => `Endcap/${versions.endcap}`;
