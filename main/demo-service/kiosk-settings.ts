/** The credentials that the service accepts: one client, project, player and app. */
export const DEMO_REGISTRATION = {
  // The at-sign is there on purpose: it has to be encoded in the token request.
  clientId: 'kiosk@demo.endcap.example',
  clientSecret: 'demo-secret-not-a-secret',
  projectId: 'demo-project',
  playerid: 'demo-player-1',
  key: 'demo-retailer',
  apptoken: 'demo-app-token',
  zoneid: 'demo-zone',
};
export type Registration = Readonly<typeof DEMO_REGISTRATION>;

/** The settings that make a kiosk use the service at `origin`; a valid settings file as it is. */
export function kioskSettings(
  origin: string,
  registration: Registration,
  authentication: 'bearer' | 'none',
  isEmbedded = false,
) {
  const { clientId, clientSecret, projectId, playerid, key, apptoken, zoneid } = registration;
  return {
    service: { baseUrl: origin, authUrl: origin, nativeUrl: origin, clientId, clientSecret, projectId },
    ads: {
      // The store simulator switches the answers to online requests on.
      delivery: isEmbedded ? 'online' : 'offline',
      eventTimeParam: isEmbedded ? 'ets' : null,
      authentication,
      params: { playerid, key },
      offlineParams: { offline: 'true' },
      // Used once delivery is "online" or "auto": what this service chooses by.
      onlineParams: {
        age_range: '{shopper.ageRange}',
        gender: '{shopper.gender}',
        group_size: '{shopper.groupSize}',
        sku: '{cart.skus}',
        item: '{cart.items}',
        weather: '{weather.types}',
      },
      refreshSeconds: 60,
    },
    native: {
      enabled: true,
      apptoken,
      zoneid,
      al: 'm',
      adcount: 3,
      everySlots: 6,
      refreshSeconds: 60,
      // The simulated shopper is no real person, and the demo shows targeting by age and gender.
      ...(isEmbedded && { sendSensorDemographics: true, params: { dnt: '0' } }),
    },
    playback: { imageSeconds: 8 },
    network: { allowPrivateHosts: [new URL(origin).host] },
  };
}
