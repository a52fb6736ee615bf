import type { Ad } from '../../shared/ad';
import { kioskMacros } from '../beacons/ad-macros';
import { beaconUrls, eightDigits } from '../beacons/macros';
import type { Outbox } from '../beacons/outbox';
import { explainAd } from '../decisions/explain';
import { errorUrlCaller, reportAnswerErrors } from '../playback/answer-errors';
import { onlineRequest } from '../playback/online-request';
import { createOnlineSlots } from '../playback/online-slots';
import { createPlaylistSupply } from '../playback/playlist-supply';
import type { Text } from '../reading/reading';
import { wrapperDocuments } from '../service/ads';
import type { WrapperOptions } from '../service/ads-reading/wrappers';
import type { ServerTime } from '../service/server-time';
import { createServiceClients } from '../service/service-clients';
import type { Core } from './core';
import type { Decisions } from './decisions';

/** What is requested of the service: access tokens, the playlist, and online ads for the very next slot. */
export function createServiceRequests(core: Core, decisions: Decisions, beacons: Outbox) {
  const { settings, reading, clock, schedule, random, events, pause, log } = core;
  const { network, board, tellService, kioskFacts, decider, files, signals, unknownWindows, blockOf } =
    decisions;
  const { tokens, ads, inventory } = createServiceClients(settings, {
    http: network.http,
    random,
    log,
    tell: (answer) => tellService('token', answer),
  });
  const wrappers: WrapperOptions = {
    fetchDocument: wrapperDocuments(network.adFetch('wrapper'), (url) =>
      beaconUrls(
        { at: clock.now(), cacheBuster: eightDigits(random), macros: kioskMacros(kioskFacts) },
        null,
      )(url),
    ),
    readDocument: (text, how) => reading.read('vast', text, how),
    schedule,
  };
  // Calls the error URLs of a document (rule 1).
  const callErrors = errorUrlCaller(beacons, kioskFacts, log);
  const tellErrors = reportAnswerErrors(callErrors, (ad) => files.key(ad) !== null);
  events.on('filesUnusable', (ads, errorCode) =>
    callErrors(ads.map(({ errors }) => ({ errorUrls: errors, errorCode }))),
  );
  const asking = {
    ads,
    async read(document: Text, leftMs: number) {
      // The XML parser and the full contracts of ads take 20 ms to load, and no stored ad needs them.
      const { readResolvedAds } = await import('../service/ads-reading/resolved-ads');
      const { metadataExtension } = settings.ads;
      const found = await readResolvedAds(document, { metadataExtension, wrappers, reading, leftMs });
      if (found.kind === 'ads') await files.lookAt(found.ads, pause);
      tellErrors(found);
      return found;
    },
    async trust(time: ServerTime | null) {
      if (time) clock.trust(time);
      await clock.settled();
    },
    host: new URL(settings.service.baseUrl).host,
  };
  const supply = createPlaylistSupply({
    ...core,
    ...decisions,
    ...asking,
    inventory,
    tell: board.tell,
    refreshSeconds: settings.ads.refreshSeconds,
  });
  const { delivery, onlineAudience } = settings.ads;
  /** The verdict on ads of online answers (rules 5 to 7). */
  const judge = (ad: Ad, at: number, canBeShown = true) =>
    explainAd(ad, {
      at,
      context: signals.current(),
      counters: decider.countersOf(ad.metadata.flightId),
      running: decider.running(),
      media: { state: canBeShown ? 'ready' : 'unsupported' },
      audience: onlineAudience === 'trust' ? 'trusted' : 'judged',
      block: blockOf(ad),
    });
  const online =
    delivery === 'offline'
      ? null
      : createOnlineSlots({
          ...core,
          ...decisions,
          // Whom an ad was matched to may be gone after a sleep of the machine.
          clock: clock.throughSleep,
          delivery,
          judge,
          request: onlineRequest({ ...asking, context: signals.current, tell: tellService }),
          capHit: (window, ads) => board.tell({ kind: 'cap-hit', window, ads }),
          answered: (ads) => unknownWindows('online', ads),
          changed: () => events.emit('adsChanged'),
        });
  return {
    tokens,
    wrappers,
    supply: {
      ...supply,
      async networkIsBack() {
        await tokens?.networkIsBack();
        await supply.networkIsBack();
      },
    },
    judge,
    online,
    dispose() {
      supply.stop();
      tokens?.stop();
    },
  };
}
