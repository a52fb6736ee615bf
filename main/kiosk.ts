import { randomUUID } from 'node:crypto';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Ad } from '../shared/ad';
import type { Log } from '../shared/log';
import { ON_ITS_WAY_MS } from '../shared/stage';
import type { Admin } from './admin/admin';
import { openMaintenance } from './admin/maintenance';
import { createBeaconSender } from './beacons/beacon-sender';
import { createJsGuests } from './beacons/js-guests';
import { eightDigits, resolveBeaconUrl } from './beacons/macros';
import { createOutbox } from './beacons/outbox';
import { BUILD_DATE } from './build-date';
import { createDecider } from './decisioning/decider';
import { explainAd } from './decisioning/explain';
import { countPlay, noPlays, recount } from './decisioning/flight-counters';
import { followClock } from './follow-clock';
import { realDisk } from './media/disk';
import { fetchHouseFile } from './media/house-file';
import { createHouseFolder } from './media/house-folder';
import { keepQuarantine } from './media/kept-quarantine';
import { createMediaCache } from './media/media-cache';
import { removeOldHouseCopies } from './media/old-house-copies';
import { createAdFiles } from './playback/ad-files';
import { tellAnswerErrors } from './playback/answer-errors';
import { type Blame, createBlame } from './playback/blame';
import { createHouseAds } from './playback/house-ads';
import { keepMediaInUse } from './playback/media-in-use';
import { createNative } from './playback/native';
import { onlineRequest } from './playback/online-request';
import { createOnlineSlots } from './playback/online-slots';
import { createPlayer, type Player } from './playback/player';
import { createPlaylist } from './playback/playlist';
import { createPlaylistSupply } from './playback/playlist-supply';
import { createProgramme } from './playback/programme';
import { createServiceAds } from './playback/service-ads';
import { slotsAhead } from './playback/slots-ahead';
import { reportUnknownWindows } from './playback/unknown-windows';
import { createReading, type Text } from './reading/reading';
import { readingWorkerFile } from './reading/worker-file';
import { keepBooks } from './records/book-keeping';
import { bookName } from './records/book-names';
import { createBooks } from './records/books';
import { openBooks } from './records/open-books';
import { snapshotFiles } from './records/snapshot';
import { createAdsClient } from './service/ads';
import type { WrapperOptions } from './service/ads-reading/wrappers';
import { createEgress } from './service/egress';
import { createFence, type FencePurpose } from './service/fence/fence';
import { createLateFencedFetch } from './service/fence/late-fetch';
import { systemLookup } from './service/fence/system-lookup';
import { fetchAfter } from './service/fetch-after';
import { callInventory } from './service/inventory';
import { configuredNativeClient } from './service/native/configured-native-client';
import { nativeDevice } from './service/native/native-device';
import { createNetworkGate, type SafeStart } from './service/network-gate';
import { timers } from './service/schedule';
import type { ServerTime } from './service/server-time';
import { createAccessTokens } from './service/token';
import { wrapperDocuments } from './service/wrapper-document';
import { maySendDemographics, nativeUserAgent } from './settings/native-params';
import { isOpen } from './settings/open-hours';
import { type Settings, serviceAccount } from './settings/settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import { watchSettings } from './settings/settings-watch';
import { keepBeaconGuests } from './shell/beacon-guests';
import type { EmbeddedService } from './shell/embedded-service';
import { systemKeyring } from './shell/keyring';
import { createLinkView, type LinkView } from './shell/link-view';
import type { LockDown } from './shell/lock-down';
import { memoryNow } from './shell/memory';
import { isRestartDue, minuteOfDay } from './shell/nightly-restart';
import { restart } from './shell/restart';
import { keepScreenshot } from './shell/screenshot-file';
import { systemProxy } from './shell/system-proxy';
import {
  addresses,
  hostName,
  onResume,
  productName,
  screenSize,
  userAgent,
  versions,
} from './shell/this-machine';
import { onLastWords } from './shell/unexpected-errors';
import type { Windows } from './shell/windows';
import type { LoopbackApi } from './signals/loopback-api';
import { reportPlayback, upcomingStatus } from './signals/report-playback';
import { reportSafeStart } from './signals/report-safe-start';
import { tellSections } from './signals/report-sections';
import { reportSends, reportToken } from './signals/report-service';
import { reportSettings } from './signals/report-settings';
import { reportSystemClock } from './signals/report-system-clock';
import { createReporting } from './signals/reporting';
import { SIGNAL_KINDS } from './signals/signal-bodies';
import { MAX_UPCOMING } from './signals/status';

/** How often clocks and opening hours are looked at, ms. */
const LOOK_AROUND_MS = 5_000;
/** What the first picture does not need waits no longer for it, whatever became of that one, ms. */
const FIRST_PICTURE_MS = 1_000;
/** Nobody touches it for so long: it may restart quietly, ms. */
const QUIET_MS = 5 * 60_000;

/** What a kiosk is started with. */
export interface KioskStart {
  readonly settings: Settings;
  readonly origin: {
    /** The settings file; null for the embedded demo. */
    readonly file: string | null;
    readonly warnings: readonly string[];
    /** The embedded ad service; null: a real one. */
    readonly service: EmbeddedService | null;
  };
  readonly windows: Windows;
  /** The set-up still lies on the stage, until this kiosk's own overlay says that it does not (rule 14). */
  readonly isCovered: boolean;
  /** It plays what is stored, without network at first; null: an ordinary start. */
  readonly safeStart: SafeStart | null;
  readonly lockDown: LockDown;
  readonly dataDirectory: string;
  readonly log: Log;
}

/** Builds the parts of a playing kiosk and wires them. Its windows are open already, and load meanwhile. */
export async function playKiosk(start: KioskStart): Promise<void> {
  const { settings, origin, windows, lockDown, dataDirectory, log } = start;
  const { clock, stage, records: client } = windows;
  const newId = randomUUID;
  // The books first: they are read while the rest is built.
  const snapshots = snapshotFiles(join(dataDirectory, 'books.json'), pause);
  const { name: environment, problem: booksProblem } = await bookName(settings, {
    file: join(dataDirectory, 'book-names.json'),
    ...{ files: snapshots, records: client, log },
  });
  const books = createBooks({
    records: client,
    files: snapshots,
    environment,
    clock,
    log,
    newId,
    pause,
    countPlay: (counters, flightId, at) => countPlay(counters ?? noPlays(flightId), at),
  });
  const booksOpened = openBooks(books, windows.recordsWindow, log);

  const random = Math.random;
  const schedule = timers;
  const reading = createReading({ worker: readingWorkerFile(), schedule, log });
  /** A creative or the brand card is on the screen, or should have been long ago. */
  const firstPicture = Promise.withResolvers<void>();
  schedule(FIRST_PICTURE_MS, firstPicture.resolve);
  const behindFirstPicture = firstPicture.promise.then(
    () => new Promise<void>((done) => schedule(ON_ITS_WAY_MS, done)),
  );
  // The first request of each kind loads some of Node's network code: 25 ms without a frame, where frames go through
  // this thread.
  const egressParts = {
    ...{ lookup: systemLookup, systemProxy, schedule, clock },
    userAgent: `Endcap/${versions.endcap}`,
  };
  const egress = createEgress(settings, egressParts);
  const network = createNetworkGate(start.safeStart, schedule);
  const http = egress.http((fetch) => fetchAfter(behindFirstPicture, network.fetch(fetch)));
  const trust = (time: ServerTime | null) => {
    if (time) clock.trust(time);
  };

  // What an ad names is reached through the fence only; the service itself as the settings say.
  const { baseUrl, authUrl, nativeUrl, projectId } = settings.service;
  const fence = network.fence(
    createFence({
      serviceUrls: [baseUrl, authUrl, nativeUrl].filter((url) => url !== null),
      allowPrivateHosts: settings.network.allowPrivateHosts,
      lookup: egress.adsLookup,
      behindProxy: egress.behindProxy,
    }),
  );
  const adsUserAgent = nativeUserAgent(settings.native.params, userAgent());
  const fencedFetch = (purpose: FencePurpose) =>
    fetchAfter(
      behindFirstPicture,
      createLateFencedFetch({
        ...{ fence, purpose, schedule, userAgent: adsUserAgent },
        additionalCas: egress.additionalCas,
      }),
    );

  // What the outside tells and asks.
  const reporting = createReporting({
    versions,
    clock,
    schedule,
    log,
    memory: memoryNow,
    uptimeMs: () => process.uptime() * 1000,
    scraped: {
      tokenAgeMs: () => tokens?.tokenAgeMs() ?? null,
      beacons: () => beacons.counts(),
      playlistAgeMs() {
        const stored = playlist.current();
        return stored && clock.now() - stored.receivedAt;
      },
      tally: () => decider.tally(clock.now()),
      cache: () => media.usage(),
      restarts: windows.restarts,
    },
  });
  const { signals, board, counting, tellService } = reporting;
  if (booksProblem) board.tell({ kind: 'attention', problem: booksProblem });
  if (start.safeStart) reportSafeStart(board, network.opened, log);
  const account = serviceAccount(settings);
  const tokens = account
    ? createAccessTokens({ account, http, random, log, tell: reportToken({ board, clock, tellService }) })
    : null;

  const guests = keepBeaconGuests({
    stage,
    lockDown,
    onHarm: (url, cause) => blame.guestHarmed(url, cause),
    liveness: windows.liveness,
    fence,
    userAgent: adsUserAgent,
    schedule,
    log,
  });
  const scripts = createJsGuests({ host: guests, clock, schedule, newId, log });
  const beacons = createOutbox({
    records: client,
    send: reportSends(createBeaconSender({ fetch: fencedFetch('beacon'), now: clock.now }), {
      board,
      metrics: counting,
    }),
    runScript: (script, about) => network.opened.then(() => scripts.run(script, about)),
    clock,
    schedule,
    random,
    newId,
    log,
    environment,
    eventTimeParam: settings.ads.eventTimeParam,
  });
  windows.onRecordsBack(
    () =>
      void Promise.all([books.reopen(), beacons.reopen()]).catch((fault: unknown) =>
        log.error('the books could not be reopened', { fault }),
      ),
  );

  // Creatives on disk, and those of them that did harm.
  const quarantine = keepQuarantine(join(dataDirectory, 'quarantine.json'), clock, log);
  const { houseDir } = settings.playback;
  const fetchAdFile = fencedFetch('media');
  const fetchOwnFile = houseDir === null ? () => null : fetchHouseFile(houseDir, realDisk);
  const media = createMediaCache({
    directory: join(dataDirectory, 'media'),
    ...settings.media,
    quarantine,
    fetch: async (url, init) => fetchOwnFile(url, init) ?? fetchAdFile(url, init),
    clock,
    log,
    schedule,
    random,
    reading,
  });
  const house = houseDir ? createHouseFolder({ folder: houseDir, cache: media, clock, log, schedule }) : null;
  removeOldHouseCopies(join(dataDirectory, 'house')).catch((fault: unknown) =>
    log.warn('old copies of house creatives could not be removed', { fault }),
  );
  windows.showMedia({ cache: media });

  const [stored, product, maintenance] = await Promise.all([
    booksOpened,
    productName(),
    openMaintenance(join(dataDirectory, 'maintenance.json'), { clock, schedule, log }),
    media.open(),
  ]);
  log.info('the books are open', {
    environment,
    plays: stored.playCount,
    unsettled: stored.unsettled,
    ads: stored.playlist?.ads.length ?? 0,
  });
  house?.open();
  if (stored.lastPlayAt !== null) clock.booksOpened(stored.lastPlayAt);

  // Decisions over the stored playlist.
  const screen = screenSize(settings.playback.rotation, () => player.changed());
  const files = createAdFiles(screen, media);
  const decider = createDecider({
    ads: [],
    mediaUrl: files.key,
    weights: settings.ads.sourceWeights,
    counters: stored.flights,
    recency: stored.recency,
    sourceMix: stored.sourceMix ?? { credits: [] },
    running: { at: clock.now(), ran: books.ranMs(), isTrusted: clock.lastTrustedAt() !== null },
  });
  const unknownWindows = reportUnknownWindows(board);
  const playlist = createPlaylist({
    decider,
    store: books,
    media,
    files,
    log,
    maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
    pause,
    takenOver: (ads) => unknownWindows('stored', ads),
    changed: () => player.changed(),
  });
  if (stored.playlist) playlist.restore(stored.playlist);

  // What the service answers.
  const ads = createAdsClient({
    http,
    baseUrl,
    tokens: settings.ads.authentication === 'bearer' ? tokens : null,
    namespace: account && { header: settings.ads.namespaceHeader, projectId: account.projectId },
    params: settings.ads.params,
    offlineParams: settings.ads.offlineParams,
    onlineParams: settings.ads.onlineParams,
    sendDemographics: maySendDemographics(settings.native),
  });
  const wrappers: WrapperOptions = {
    fetchDocument: wrapperDocuments(fencedFetch('wrapper'), (url) =>
      resolveBeaconUrl(url, { at: clock.now(), cacheBuster: eightDigits(random), errorCode: null }, null),
    ),
    readDocument: (text, how) => reading.read('vast', text, how),
    schedule,
  };
  const tellErrors = tellAnswerErrors(beacons, log);
  const read = async (document: Text, leftMs: number) => {
    // Behind the first picture, as a rule.
    const { readResolvedAds } = await import('./service/ads-reading/resolved-ads');
    const found = await readResolvedAds(document, {
      metadataExtension: settings.ads.metadataExtension,
      wrappers,
      reading,
      leftMs,
    });
    tellErrors(found);
    return found;
  };
  const supply = createPlaylistSupply({
    ads,
    playlist,
    media,
    files,
    read,
    pause,
    inventory:
      tokens &&
      (() =>
        callInventory({
          http,
          tokens,
          baseUrl,
          projectId: projectId ?? '',
          namespaceHeader: settings.ads.namespaceHeader,
        })),
    host: new URL(baseUrl).host,
    refreshSeconds: settings.ads.refreshSeconds,
    trust,
    reporting,
    clock,
    random,
    schedule,
    log,
  });
  const { delivery, onlineAudience } = settings.ads;
  const judgeOnline = (ad: Ad, at: number, canBeShown = true) =>
    explainAd(ad, {
      at,
      context: signals.current(),
      counters: decider.countersOf(ad.metadata.flightId),
      running: decider.running(),
      media: { state: canBeShown ? 'ready' : 'unsupported' },
      audience: onlineAudience === 'trust' ? 'trusted' : 'judged',
    });
  const online =
    delivery === 'offline'
      ? null
      : createOnlineSlots({
          delivery,
          judge: judgeOnline,
          request: onlineRequest({
            ads,
            read,
            context: signals.current,
            trust,
            tell: tellService,
            host: new URL(baseUrl).host,
          }),
          files,
          media,
          capHit: counting.capHit,
          answered: (ads) => unknownWindows('online', ads),
          clock,
          schedule,
          pause,
          log,
          changed: () => player.changed(),
        });

  // What slots are filled from.
  const imageMs = settings.playback.imageSeconds * 1000;
  let volume = settings.playback.volume;
  const serviceAds = createServiceAds({
    decider,
    online,
    judge: judgeOnline,
    files,
    media,
    capHit: counting.capHit,
    openPage: guests.openPage,
    beacons,
    imageMs,
    volume: () => volume,
  });
  let link: LinkView | null = null;
  const device = nativeDevice({
    platform: process.platform,
    release: release(),
    arch: process.arch,
    productName: product,
    userAgent: userAgent(),
  });
  const nativeClient = configuredNativeClient({ settings, http, wrappers, reading, device, newId, log });
  const native =
    nativeClient &&
    createNative({
      client: nativeClient,
      outbox: beacons,
      media,
      quarantine,
      volume: () => volume,
      openBanner: guests.openBanner,
      showBanner: guests.showBanner,
      closeBanner: (id) => guests.close(id, false),
      openLink: (hooks) => {
        link = createLinkView({
          ...hooks,
          host: stage.view,
          send: stage.link,
          lockDown,
          fence,
          userAgent: adsUserAgent,
          schedule,
          language: settings.ui.language,
          log,
        });
        return link;
      },
      context: signals.current,
      settings,
      screen,
      clock,
      schedule,
      random,
      newId,
      log,
      tell(answer) {
        tellService('native', answer);
        if ('serverTime' in answer) trust(answer.serverTime);
      },
      hold: (reason, holds) => player.hold(reason, holds),
      changed: () => player.changed(),
      somebodyThere: signals.somebodyThere,
    });
  const programme = createProgramme({
    service: serviceAds,
    native: native?.ads ?? null,
    house:
      house && createHouseAds({ house, media, openPage: guests.openPage, imageMs, volume: () => volume }),
    everySlots: settings.native.everySlots,
    inSession: () => native?.inSession() ?? false,
    somebodyThere: signals.somebodyThere,
  });
  house?.onChange(() => player.changed());

  // The slot loop.
  const { openHours, restartAt } = settings.playback;
  const isStoreOpen = (at: number) => openHours === null || isOpen(openHours, at);
  const mediaInUse = keepMediaInUse(media);
  const screenshotFile = process.env.ENDCAP_SCREENSHOT;
  const report = reportPlayback({
    board,
    metrics: counting,
    clock,
    screenChanged: screenshotFile ? keepScreenshot(screenshotFile, stage.screenshot, log) : () => {},
  });
  let outboxOpened = false;
  const openOutbox = () => {
    if (outboxOpened) return;
    outboxOpened = true;
    beacons.open().catch((fault: unknown) => log.error('the outbox could not be opened', { fault }));
  };
  const player: Player = createPlayer({
    sendToStage: stage.command,
    ads: programme,
    online,
    nextChangeAt: decider.nextChangeAt,
    isOpen: isStoreOpen,
    records: books,
    beacons,
    clock,
    schedule,
    newId,
    log,
    environment,
    tell(fact) {
      if (fact.kind === 'showing' || fact.kind === 'nothing-showing') firstPicture.resolve();
      report.tell(fact);
      mediaInUse(fact);
      blame.tell(fact);
      if (fact.kind === 'held') native?.stageHeld(fact.reason !== null);
      if (fact.kind !== 'reserved') return;
      // What earlier runs left unsent could wait until here; what the first frame fires is stored at once.
      openOutbox();
      clock.playStored(fact.play.at);
      programme.committed(fact.facts);
    },
  });
  const blame: Blame = createBlame({
    onStage: player.onStage,
    quarantine,
    endGuests: guests.endDrawn,
    endStrangers: () => [guests.endScripts(), link?.endSuspect() ?? false].includes(true),
    lastFrame: stage.lastHeartbeat,
    clock,
  });
  onLastWords(blame.mainEnds);
  // Before the first slot: a pause goes on where a restart fell into it.
  player.hold('maintenance', maintenance.until() !== null);
  player.hold('overlay', start.isCovered);
  let touchedAt = Number.NEGATIVE_INFINITY;
  stage.listen({
    onEvent: player.onStageEvent,
    onLost() {
      link?.close();
      player.onStageLost();
    },
    onGuest: guests.attached,
    onLink: (event) => link?.onEvent(event),
    onInput(type) {
      touchedAt = clock.monotonic();
      link?.touched(type);
      native?.input(type);
    },
    onVisible: (visible) => player.hold('window-hidden', !visible),
    onDisplay: (isOn) => player.hold('display-off', !isOn),
    onHarm: blame.harmed,
    onDriverAtFault: quarantine.driverBlamed,
  });

  // What changes by itself while it plays.
  signals.onChange((context) => {
    decider.setContext(context);
    native?.signalsChanged();
    player.changed();
  });
  followClock({
    clock,
    decider,
    books,
    askAgain: supply.askAgain,
    pause,
    log,
    changed: () => player.changed(),
  });
  const tellSystemClock = reportSystemClock(board, clock, BUILD_DATE);
  tellSystemClock();
  const startedAt = clock.monotonic();
  setInterval(() => {
    clock.sample();
    tellSystemClock();
    player.hold('closed', !isStoreOpen(clock.now()));
    const isIdle = !(native?.inSession() ?? false) && clock.monotonic() - touchedAt >= QUIET_MS;
    const localMinute = minuteOfDay(clock.now(), openHours?.timeZone ?? null);
    if (restartAt !== null && isIdle && isRestartDue(restartAt, localMinute, clock.monotonic() - startedAt)) {
      log.info('the nightly restart');
      restart();
    }
  }, LOOK_AROUND_MS).unref();
  onResume(() => {
    clock.resumed();
    windows.liveness.woke();
    // How long the sensors were not heard is not known: the monotonic clock may have stood still.
    for (const kind of SIGNAL_KINDS) signals.clear(kind);
  });
  keepBooks({
    books,
    clock,
    schedule,
    log,
    corrected: decider.replaceCounters,
    flightsToRecount: decider.flightsToRecount,
    takeRecount: decider.takeRecount,
    shrinkUnseen: decider.shrinkUnseen,
    recount,
    pause,
    environment,
    forgetRecency: decider.forgetRecency,
  });

  const { file } = origin;
  const tellStanding = reportSettings(board, { file, delivery, problems: [...origin.warnings] }, log);
  const settingsWatch =
    file === null
      ? null
      : watchSettings({
          file,
          readFile: readFileOnDisk,
          env: process.env,
          platform: process.platform,
          schedule,
          everyMs: LOOK_AROUND_MS,
          tell: tellStanding,
        });

  let api: LoopbackApi | null = null;
  let admin: Admin | null = null;
  windows.onEnd(async () => {
    await admin?.close();
    settingsWatch?.stop();
    supply.stop();
    native?.stop();
    link?.close();
    tokens?.stop();
    await player.shutDown();
    await books.writeSnapshot();
    await house?.close();
    await media.close();
    await api?.close();
    origin.service?.stop();
    log.info('Endcap ended in order');
  });

  // All that follows would be in the first picture's way.
  await behindFirstPicture;
  openOutbox();
  if (windows.isEnding()) return;
  void network.opened.then(() => {
    if (windows.isEnding()) return;
    supply.start();
    native?.start();
  });
  const behind = await import('./behind-first-picture');
  if (process.platform === 'linux') void behind.reportChromiumCas(board, log, egress, behind.trustInChromium);

  // The loopback API: signals in, status and metrics out.
  const status = () => {
    tellSections(board, { environment, books, media, quarantine, beacons, native, egress });
    const { prepared, from } = report.ahead();
    const ahead = slotsAhead(
      { decider, playable: files.playable, usualMs: imageMs },
      from,
      prepared,
      MAX_UPCOMING,
    );
    board.tell({ kind: 'section', name: 'upcoming', value: upcomingStatus(ahead) });
    return board.status();
  };
  api = await behind.openLoopbackApi({
    port: settings.signals.port,
    dataDirectory,
    reporting,
    status,
    windowHeard: stage.lastHeartbeat,
    recordsHeard: windows.recordsWindow.lastAnswer,
    video: report.video,
    plays: behind.playsStream({ records: client, clock, rest: behind.unhurried(schedule, pause) }),
    version: versions.endcap,
    demo: origin.service,
    clock,
    log,
  });

  if (origin.service) windows.watchService(origin.service);
  windows.serviceManager.describe(() => board.status().sentence);

  // The staff's overlay.
  admin = await behind.createAdmin({
    channel: windows.adminChannel,
    dataDirectory,
    clock,
    schedule,
    pause,
    log,
    kiosk: behind.describeRunningKiosk({
      status,
      records: client,
      environment,
      playlist: playlist.current,
      onlineAnswer: () => online?.lastAnswer() ?? null,
      outboxCounts: beacons.counts,
      maintenance,
      hold: player.hold,
      isStoreOpen,
      refresh: async () => (await supply.refreshNow()).lastError,
      skip() {
        player.hold('skipped', true);
        player.hold('skipped', false);
      },
      setVolume(chosen) {
        volume = chosen;
      },
      clearMedia: media.clear,
      settings,
      reporting,
      books,
      decider,
      cache: media,
      files,
    }),
    settingsFile: origin.file,
    keyring: systemKeyring,
    gesture: settings.admin.gesture,
    shortcut: settings.admin.shortcut,
    pinHash: settings.admin.pinHash?.reveal() ?? null,
    language: settings.ui.language,
    rotation: settings.playback.rotation,
    version: versions.endcap,
    hostName: hostName(),
    addresses,
    checkConnection: (tried, onStep) =>
      behind.checkConnection(
        tried,
        {
          httpOf: (each) => createEgress(each, egressParts).http(network.fetch),
          ...{ random, log, device, reading },
        },
        onStep,
      ),
    driveFiles: behind.driveFilesOnDisk,
    machine: await behind.machineControls(),
  });
  volume = admin.volume() ?? volume;
  board.tell({
    kind: 'section',
    name: 'kiosk',
    value: { id: admin.fingerprint, publicKey: admin.publicKey },
  });
  const { autostart } = settings.playback;
  if (autostart !== null)
    behind
      .setAutostart(autostart)
      .catch((fault: unknown) => log.error('the autostart could not be set', { fault }));
  await network.opened;
  await supply.askInventory();
}

/** Lets timers and I/O run between two steps of long work. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
