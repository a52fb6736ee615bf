import { createBeaconSender } from '../beacons/beacon-sender';
import { createJsGuests } from '../beacons/js-guests';
import { createOutbox } from '../beacons/outbox';
import { createBeaconGuests } from '../shell/beacon-guests';
import { reportSends } from '../status/report-service';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { firstPlayback } from './events';

export type Beacons = ReturnType<typeof createBeacons>;

/** Guests, and the outbox of beacons. */
export function createBeacons(core: Core, { environment, network, board }: Decisions) {
  const { settings, windows, clock, events, log } = core;
  const guests = createBeaconGuests({
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
