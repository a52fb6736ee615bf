import { once } from 'node:events';
import { volumeInForce } from '../admin/preferences';
import { createBeaconSender } from '../beacons/beacon-sender';
import { createJsGuests } from '../beacons/js-guests';
import { createOutbox } from '../beacons/outbox';
import { createNative } from '../native/native';
import { configuredNativeClient } from '../native/native-client';
import { createHouseAds } from '../playback/house-ads';
import { createServiceAds } from '../playback/service-ads';
import { createSlotSchedule } from '../playback/slot-schedule';
import { createGuests } from '../shell/guests/guests';
import { createLinkView } from '../shell/link-view/link-view';
import { reportSends } from '../status/report-service';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { firstPlayback } from './events';
import { createServiceRequests } from './service-requests';

export type SlotSources = ReturnType<typeof createSlotSources>;

/** What slots are filled from: ads of the service, native ads and the house's creatives. And their beacons. */
export function createSlotSources(core: Core, decisions: Decisions) {
  const { settings, clock, events } = core;
  const { stage } = core.windows;
  const { guests, beacons } = createBeacons(core, decisions);
  const requests = createServiceRequests(core, decisions, beacons);
  const { network, device, media, house, signals, board, tellService, kioskFacts, blocks, preferences } =
    decisions;
  const imageMs = settings.playback.imageSeconds * 1000;
  const volume = volumeInForce(preferences, settings.playback.volume, stage.keep);
  const { openPage } = guests;
  const service = createServiceAds({
    ...decisions,
    ...requests,
    openPage,
    beacons,
    imageMs,
    volume,
    capHit: (window, ads) => board.tell({ kind: 'cap-hit', window, ads }),
    kiosk: kioskFacts,
  });
  const client = configuredNativeClient({ ...core, ...requests, device, http: network.http });
  const link =
    client &&
    createLinkView({
      ...core,
      ...network.ofAds,
      stage,
      send(command) {
        events.emit('linkShown', command.frame);
        stage.tell('link', command);
      },
      onTouched: (type) => events.emit('input', type),
    });
  const native =
    link &&
    createNative({
      ...core,
      ...decisions,
      client,
      link,
      volume,
      outbox: beacons,
      blocks: blocks.current,
      kiosk: kioskFacts,
      openBanner: guests.openBanner,
      showBanner: guests.showBanner,
      closeBanner: (id) => guests.close(id, false),
      context: signals.current,
      tell(answer) {
        tellService('native', answer);
        if ('serverTime' in answer && answer.serverTime) clock.trust(answer.serverTime);
      },
      settled: clock.settled,
      hold: (reason, holds) => events.emit('hold', reason, holds),
      changed: () => events.emit('adsChanged'),
      somebodyThere: signals.somebodyThere,
    });
  if (native) events.on('screenResized', native.resized);
  return {
    ...requests,
    guests,
    beacons,
    imageMs,
    /** Both null where native ads are off. */
    native,
    link,
    slotSchedule: createSlotSchedule({
      service,
      native: native?.ads ?? null,
      house: house && createHouseAds({ house, media, openPage, imageMs, volume, blocks: blocks.current }),
      everySlots: settings.native.everySlots,
      inSession: () => native?.inSession() ?? false,
      somebodyThere: signals.somebodyThere,
    }),
    dispose() {
      requests.dispose();
      native?.stop();
      link?.close();
    },
  };
}

/** Guests, and the outbox of beacons. */
function createBeacons(core: Core, { environment, network, board }: Decisions) {
  const { settings, windows, clock, events, log } = core;
  const guests = createGuests({
    ...core,
    ...network.ofAds,
    stage: windows.stage,
    liveness: windows.liveness,
    onHarm: (url, cause) => events.emit('guestHarmed', url, cause),
  });
  const scripts = createJsGuests({ ...core, host: guests });
  const send = createBeaconSender({ fetch: network.adFetch('beacon'), now: clock.now });
  const beacons = createOutbox({
    ...core,
    records: windows.records,
    isTimeTrusted: clock.isTrusted,
    mayExpire: clock.isTrustedToExpire,
    ownBeaconsKnown: once(events, 'ownBeaconsKnown'),
    send: reportSends(send, board.tell),
    runScript: (script, about) => network.gate.opened.then(() => scripts.run(script, about)),
    eventTimeParam: settings.ads.eventTimeParam,
    environment,
  });
  events.on('recordsBack', () => {
    beacons.reopen().catch((error: unknown) => log.error('the outbox could not be reopened', { error }));
  });
  // Unsent beacons of earlier runs can wait for the first play; its own beacons are stored at once.
  void firstPlayback(events, ({ kind }) => kind === 'reserved' || kind === 'showing')
    .then(beacons.open)
    .catch((error: unknown) => log.error('the outbox could not be opened', { error }));
  return { guests, beacons };
}
