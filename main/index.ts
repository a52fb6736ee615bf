import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { hostname, networkInterfaces, release } from 'node:os';
import { join } from 'node:path';
import { app, powerMonitor, screen, session } from 'electron';
import type { Ad } from '../shared/ad';
import type { Clock } from '../shared/clock';
import type { Log } from '../shared/log';
import { type Admin, createAdmin } from './admin/admin';
import type { MediaState } from './admin/ads-page';
import { checkConnection } from './admin/connection-check';
import { driveFilesOnDisk } from './admin/mounted-drives';
import { createBeaconSender } from './beacons/beacon-sender';
import { createJsGuests } from './beacons/js-guests';
import { eightDigits, resolveBeaconUrl } from './beacons/macros';
import { createOutbox } from './beacons/outbox';
import { createDecider } from './decisioning/decider';
import { explainAd, type Media } from './decisioning/explain';
import { countPlay, noPlays } from './decisioning/flight-counters';
import { createHouseFolder } from './media/house-folder';
import { createMediaCache } from './media/media-cache';
import { mediaResponse } from './media/media-response';
import { createHouseAds } from './playback/house-ads';
import { keepMediaInUse } from './playback/media-in-use';
import { createNative } from './playback/native';
import { onlineRequest } from './playback/online-request';
import { createOnlineSlots } from './playback/online-slots';
import { createPlayer, type Player } from './playback/player';
import { createPlaylist } from './playback/playlist';
import { playlistAnswers } from './playback/playlist-answers';
import { createProgramme } from './playback/programme';
import { createServiceAds } from './playback/service-ads';
import { keepBooks } from './records/book-keeping';
import { createBooks } from './records/books';
import { cutTornLogs } from './records/cut-torn-logs';
import { openBooks } from './records/open-books';
import { createRecordsClient } from './records/records-client';
import { snapshotFiles } from './records/snapshot';
import { createAdsClient } from './service/ads';
import { chooseMedia } from './service/ads-reading/choose-media';
import { readResolvedAds } from './service/ads-reading/resolved-ads';
import type { WrapperOptions } from './service/ads-reading/wrappers';
import { createFence, type FencePurpose } from './service/fence/fence';
import { createFencedFetch } from './service/fence/fenced-fetch';
import type { Http } from './service/http';
import { callInventory } from './service/inventory';
import { createNativeClient, type NativeClient } from './service/native/native-client';
import { type NativeDevice, nativeDevice } from './service/native/native-device';
import { createPlaylistRefresh } from './service/playlist-refresh';
import { timers } from './service/schedule';
import type { ServerTime } from './service/server-time';
import { type AccessTokens, createAccessTokens } from './service/token';
import { wrapperDocuments } from './service/wrapper-document';
import { environmentKey } from './settings/environment-key';
import { findSettings, type SettingsFault } from './settings/find-settings';
import { isOpen } from './settings/open-hours';
import { type Settings, serviceAccount } from './settings/settings';
import { readFileOnDisk } from './settings/settings-file-on-disk';
import { openAdminChannel } from './shell/admin-channel';
import { serveApp } from './shell/app-protocol';
import { endInOrder, prepareApplication } from './shell/application';
import { keepBeaconGuests } from './shell/beacon-guests';
import { createDecidedClock } from './shell/decided-clock';
import { startDemo } from './shell/demo-settings';
import type { EmbeddedService } from './shell/embedded-service';
import { createLinkView, type LinkView } from './shell/link-view';
import { denyPermissions, type LockDown, lockDownContents } from './shell/lock-down';
import { createLog } from './shell/log';
import { memoryNow } from './shell/memory';
import { showMessage } from './shell/message-screen';
import { keepScreenshot } from './shell/screenshot-file';
import { readStartOptions } from './shell/start-options';
import { keepKioskWindow, keepRecordsWindow } from './shell/supervised-windows';
import { createMetrics } from './signals/metrics';
import { playsReader } from './signals/plays-reader';
import { reportPlayback } from './signals/report-playback';
import { booksStatus, mediaStatus, nativeStatus } from './signals/report-sections';
import { reportService, reportToken } from './signals/report-service';
import { SIGNAL_KINDS } from './signals/signal-bodies';
import { createSignals } from './signals/signals';
import { createSignalsServer } from './signals/signals-server';
import { createStatusBoard } from './signals/status-board';

const options = readStartOptions(process.argv, process.cwd());
const programs = __dirname;
const preloads = join(programs, '../preload');
const pages = join(programs, '../renderer');
/** How long an orderly end may take before the process ends all the same, ms. */
const SHUTDOWN_MS = 10_000;
/** How often clocks and opening hours are looked at, ms. */
const LOOK_AROUND_MS = 5_000;
/** A window or the records that say nothing for longer are not well, ms. */
const SILENT_AFTER_MS = 15_000;
const versions = {
  endcap: app.getVersion(),
  electron: process.versions.electron ?? null,
  chromium: process.versions.chrome ?? null,
  node: process.versions.node,
};

if (prepareApplication(options)) {
  const dataDirectory = app.getPath('userData');
  const log = createLog(dataDirectory, process.env.ENDCAP_LOG === 'debug' ? 'debug' : 'info');
  start(dataDirectory, log).catch((fault: unknown) => {
    log.error('Endcap could not start', { fault });
    app.exit(1);
  });
} else {
  console.error('Endcap already runs on this data folder; this second start ends.');
  app.exit(0);
}

/** From the settings to a kiosk that plays, or to a message that says why it cannot. */
async function start(dataDirectory: string, log: Log): Promise<void> {
  log.info('Endcap starts', { ...versions, dataDirectory });
  const lockDown = lockDownContents(log);

  const [found] = await Promise.all([
    findSettings({
      configPath: options.configPath,
      env: process.env,
      platform: process.platform,
      dataDir: dataDirectory,
      readFile: readFileOnDisk,
    }),
    app.whenReady(),
    cutTornLogs(join(dataDirectory, 'IndexedDB'), log),
  ]);
  denyPermissions(session.defaultSession);
  serveApp(session.defaultSession, pages);

  switch (found.kind) {
    case 'settings':
      for (const warning of found.warnings) log.warn(warning);
      return play(
        found.settings,
        { file: found.file, warnings: found.warnings, service: null },
        dataDirectory,
        lockDown,
        log,
      );
    case 'fault':
      return refuse(found, log);
    case 'none': {
      if (app.isPackaged) return askForSettings(log);
      const { settings, service } = await startDemo(programs, dataDirectory, log);
      return play(settings, { file: null, warnings: [], service }, dataDirectory, lockDown, log);
    }
  }
}

/** Wrong settings stop the start: on a terminal from source, on the whole screen of an installed kiosk. */
function refuse(fault: SettingsFault, log: Log): void {
  log.error(fault.message);
  if (!app.isPackaged) {
    app.exit(1);
    return;
  }
  showMessage(
    { title: 'This kiosk cannot start', text: fault.message },
    { preload: join(preloads, 'kiosk.js'), kiosk: true, log },
  );
}

/** Installed without settings: never demo ads in a store. */
function askForSettings(log: Log): void {
  log.error('no settings were found');
  const text =
    'Endcap is installed but not set up.\nWrite its settings to /etc/endcap/config.json (Windows: %ProgramData%\\Endcap\\config.json) and restart it.';
  showMessage({ title: 'Not set up yet', text }, { preload: join(preloads, 'kiosk.js'), kiosk: true, log });
}

interface SettingsOrigin {
  /** Null for the embedded demo. */
  readonly file: string | null;
  readonly warnings: readonly string[];
  readonly service: EmbeddedService | null;
}

/** Builds the parts of a playing kiosk and wires them. */
async function play(
  settings: Settings,
  origin: SettingsOrigin,
  dataDirectory: string,
  lockDown: LockDown,
  log: Log,
): Promise<void> {
  const environment = environmentKey(settings);
  const clock = createDecidedClock();
  const random = Math.random;
  const http: Http = { fetch, clock, schedule: timers };

  // Both windows first: they load while the rest is built. Nothing the overlay's page says is lost meanwhile.
  const adminChannel = openAdminChannel((contents) => stage.owns(contents), log);
  const client = createRecordsClient(timers);
  let ending = false;
  const supervision = { clock, log, isEnding: () => ending, giveUp: () => app.exit(1) };
  const recordsWindow = keepRecordsWindow(client, {
    ...supervision,
    preload: join(preloads, 'records.js'),
    onBack: () =>
      void Promise.all([books.reopen(), beacons.reopen()]).catch((fault: unknown) =>
        log.error('the books could not be reopened', { fault }),
      ),
  });
  const stage = keepKioskWindow({
    ...supervision,
    preload: join(preloads, 'kiosk.js'),
    kiosk:
      settings.playback.kiosk &&
      !options.windowed &&
      (app.isPackaged || origin.file !== null || options.kiosk),
    devTools: !app.isPackaged,
    rotation: settings.playback.rotation,
  });

  // What an ad names is reached through the fence only; the service itself as the settings say.
  const { baseUrl, authUrl, nativeUrl, projectId } = settings.service;
  const fence = createFence({
    serviceUrls: [baseUrl, authUrl, nativeUrl].filter((url) => url !== null),
    allowPrivateHosts: settings.network.allowPrivateHosts,
    lookup: (name) => lookup(name, { all: true }),
  });
  const fencedFetch = (purpose: FencePurpose) =>
    createFencedFetch({ fence, purpose, schedule: timers, userAgent: app.userAgentFallback });

  // What the outside may ask: signals in, status and metrics out.
  const trust = (time: ServerTime | null) => {
    if (time) clock.trust(time);
  };
  const account = serviceAccount(settings);
  const signals = createSignals({ clock, schedule: timers, log });
  const board = createStatusBoard({
    versions,
    now: clock.now,
    moment: () => ({
      now: clock.now(),
      systemNow: clock.systemNow(),
      trusted: clock.lastTrustedAt() !== null,
      lastTrustedAt: clock.lastTrustedAt(),
      signals: signals.ages(),
      memory: memoryNow(),
    }),
  });
  const metrics = createMetrics(versions, {
    tokenAgeMs: () => tokens?.tokenAgeMs() ?? null,
    clockCorrectionMs: () => clock.now() - clock.systemNow(),
    memory: memoryNow,
  });
  const tellService = reportService({ board, metrics });
  const tokens = account
    ? createAccessTokens({ account, http, random, log, tell: reportToken({ board, clock, tellService }) })
    : null;

  // The books.
  const books = createBooks({
    records: client,
    files: snapshotFiles(join(dataDirectory, 'books.json')),
    environment,
    clock,
    log,
    countPlay: (counters, flightId, at) => countPlay(counters ?? noPlays(flightId), at),
  });
  const beacons = createOutbox({
    records: client,
    send: createBeaconSender({ fetch: fencedFetch('beacon'), now: clock.now }),
    clock,
    schedule: timers,
    random,
    newId: randomUUID,
    log,
    environment,
    eventTimeParam: settings.ads.eventTimeParam,
  });

  // Creatives on disk.
  const media = createMediaCache({
    directory: join(dataDirectory, 'media'),
    quotaBytes: settings.media.quotaBytes,
    minFreeBytes: settings.media.minFreeBytes,
    fetch: fencedFetch('media'),
    clock,
    log,
    schedule: timers,
    random,
  });
  const { houseDir } = settings.playback;
  const house = houseDir
    ? createHouseFolder({
        folder: houseDir,
        copies: join(dataDirectory, 'house'),
        minFreeBytes: settings.media.minFreeBytes,
        clock,
        log,
        schedule: timers,
      })
    : null;
  session.defaultSession.protocol.handle('media', (request) =>
    mediaResponse(request, house ? { cache: media, house } : { cache: media }),
  );

  const guests = keepBeaconGuests({ stage, admitGuests: lockDown.admitGuests, fence, schedule: timers, log });
  const screenChanged = process.env.ENDCAP_SCREENSHOT
    ? keepScreenshot(process.env.ENDCAP_SCREENSHOT, stage.screenshot, log)
    : () => {};

  const [stored, productName] = await Promise.all([
    openBooks(books, recordsWindow, log),
    readFile('/sys/class/dmi/id/product_name', 'utf8').catch(() => null),
    media.open(),
    house?.open(),
  ]);
  log.info('the books are open', {
    environment,
    plays: stored.playCount,
    unsettled: stored.unsettled,
    ads: stored.playlist?.ads.length ?? 0,
  });
  if (stored.lastPlayAt !== null) clock.playStored(stored.lastPlayAt);

  // Decisions over the stored playlist.
  const { width, height } = screenSize(settings.playback.rotation);
  const mediaUrl = (ad: Ad) => chooseMedia(ad, { width, height })[0]?.url ?? null;
  const decider = createDecider({
    ads: [],
    mediaUrl,
    weights: settings.ads.sourceWeights,
    counters: stored.flights,
    recency: stored.recency,
    sourceMix: stored.sourceMix ?? { credits: [] },
  });
  const mediaOf = (ad: Ad): MediaState => {
    const url = mediaUrl(ad);
    if (url === null) return { state: 'unsupported' };
    if (media.lookup(url)) return { state: 'ready', url };
    const problem = media.problems().find((candidate) => candidate.url === url);
    return problem ? { state: 'failed', url, detail: problem.detail } : { state: 'waiting', url };
  };
  const playlist = createPlaylist({
    decider,
    records: books,
    media,
    mediaUrl,
    log,
    environment,
    maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
    pause,
    changed: () => player.changed(),
  });
  if (stored.playlist) playlist.restore(stored.playlist);

  const ads = createAdsClient({
    http,
    baseUrl: settings.service.baseUrl,
    tokens: settings.ads.authentication === 'bearer' ? tokens : null,
    namespace: account && { header: settings.ads.namespaceHeader, projectId: account.projectId },
    params: settings.ads.params,
    offlineParams: settings.ads.offlineParams,
    onlineParams: settings.ads.onlineParams,
  });
  const wrappers: WrapperOptions = {
    fetchDocument: wrapperDocuments(fencedFetch('wrapper'), (url) =>
      resolveBeaconUrl(url, { at: clock.now(), cacheBuster: eightDigits(random), errorCode: null }, null),
    ),
    schedule: timers,
  };
  const readAnswer = (document: string) =>
    readResolvedAds(document, { metadataExtension: settings.ads.metadataExtension, wrappers, pause });
  const { delivery } = settings.ads;
  const online =
    delivery === 'offline'
      ? null
      : createOnlineSlots({
          delivery,
          request: onlineRequest({
            ads,
            read: readAnswer,
            context: signals.current,
            trust,
            tell: tellService,
          }),
          mediaUrl,
          media,
          clock,
          schedule: timers,
          log,
          changed: () => player.changed(),
        });

  let volume = settings.playback.volume;
  const { openHours } = settings.playback;
  const isStoreOpen = (at: number) => openHours === null || isOpen(openHours, at);
  const report = reportPlayback({ board, metrics, clock, screenChanged });
  const serviceAds = createServiceAds({
    decider,
    online,
    judge: (ad, at) =>
      explainAd(ad, {
        at,
        context: signals.current(),
        counters: books.counters(ad.metadata.flightId),
        media: { state: 'ready' },
      }),
    media,
    beacons,
    imageMs: settings.playback.imageSeconds * 1000,
    volume: () => volume,
  });
  let link: LinkView | null = null;
  const scripts = createJsGuests({ host: guests, clock, schedule: timers, newId: randomUUID, log });
  const device = nativeDevice({
    platform: process.platform,
    release: release(),
    arch: process.arch,
    productName,
  });
  const nativeClient = createClientOfNative(settings, http, wrappers, device, log);
  const native =
    nativeClient &&
    createNative({
      client: nativeClient,
      outbox: beacons,
      scripts,
      media,
      volume: () => volume,
      openBanner: guests.openBanner,
      closeBanner: (id) => guests.close(id, false),
      openLink: (hooks) => {
        link = createLinkView({
          ...hooks,
          host: stage.view,
          send: stage.link,
          lockDown,
          fence,
          schedule: timers,
          language: settings.ui.language,
          log,
        });
        return link;
      },
      context: signals.current,
      settings,
      screen: { width, height },
      clock,
      schedule: timers,
      random,
      newId: randomUUID,
      log,
      tell(answer) {
        tellService('native', answer);
        if ('serverTime' in answer) trust(answer.serverTime);
      },
      hold: (reason, holds) => player.hold(reason, holds),
      changed: () => player.changed(),
    });
  /** A shopper sensor has reported since the start. */
  let sensorKnown = false;
  const programme = createProgramme({
    service: serviceAds,
    native: native?.ads ?? null,
    house:
      house &&
      createHouseAds({
        house,
        imageMs: settings.playback.imageSeconds * 1000,
        volume: () => volume,
      }),
    everySlots: settings.native.everySlots,
    inSession: () => native?.inSession() ?? false,
    somebodyThere: () => !sensorKnown || signals.current().shopper !== null,
  });
  const mediaInUse = keepMediaInUse(media, house);
  house?.onChange(() => player.changed());
  const player: Player = createPlayer({
    sendToStage: stage.command,
    ads: programme,
    online,
    nextChangeAt: decider.nextChangeAt,
    isOpen: isStoreOpen,
    records: books,
    beacons,
    clock,
    schedule: timers,
    newId: randomUUID,
    log,
    environment,
    tell(fact) {
      report.tell(fact);
      mediaInUse(fact);
      if (fact.kind === 'reserved') clock.playStored(fact.play.at);
      if (fact.kind === 'showing') programme.began(fact.facts);
    },
  });
  stage.listen({
    onEvent: player.onStageEvent,
    onLost() {
      link?.close();
      player.onStageLost();
    },
    onGuest: guests.attached,
    onLink: (event) => link?.onEvent(event),
    onInput(type) {
      link?.touched(type);
      native?.input(type);
    },
    onVisible: (visible) => player.hold('window-hidden', !visible),
  });

  // What changes by itself while it plays.
  signals.onChange((context) => {
    if (context.shopper) sensorKnown = true;
    decider.setContext(context);
    player.changed();
  });
  clock.onRestamp((to) => {
    const flights = decider.restamp(to);
    log.warn('plays stamped after trusted time were restamped to it', { to });
    books
      .run('restampPlays', { environment, to, flights, recency: [] })
      .catch((fault: unknown) => log.error('restamped plays could not be stored', { fault }));
    player.changed();
  });
  setInterval(() => {
    clock.sample();
    player.hold('closed', !isStoreOpen(clock.now()));
  }, LOOK_AROUND_MS).unref();
  powerMonitor.on('resume', () => {
    clock.resumed();
    // How long the sensors were not heard is not known: the monotonic clock may have stood still.
    for (const kind of SIGNAL_KINDS) signals.clear(kind);
  });
  // After the playlist and the clock: what earlier runs left unsent can wait a moment.
  beacons.open().catch((fault: unknown) => log.error('the outbox could not be opened', { fault }));
  const bookKeeping = keepBooks({
    books,
    clock,
    schedule: timers,
    log,
    corrected: decider.replaceCounters,
    environment,
    forgetRecency: decider.forgetRecency,
  });

  const status = () => {
    board.tell({ kind: 'section', name: 'books', value: booksStatus(environment, books) });
    board.tell({ kind: 'section', name: 'media', value: mediaStatus(media) });
    board.tell({ kind: 'section', name: 'beacons', value: beacons.counts() });
    if (native) board.tell({ kind: 'section', name: 'native', value: nativeStatus(native) });
    return board.status();
  };

  // The loopback API: signals in, status and metrics out.
  const api = await createSignalsServer({
    port: settings.signals.port,
    tokenFile: join(dataDirectory, 'signals-token'),
    portFile: join(dataDirectory, 'signals-port'),
    signals,
    status,
    health: () => ({
      window: lifeSign(stage.lastHeartbeat(), clock),
      records: lifeSign(bookKeeping.lastAnswer(), clock),
      video: report.video(),
    }),
    plays: playsReader(books, environment),
    registry: metrics.registry,
    answered: metrics.requestAnswered,
    version: versions.endcap,
    clock,
    log,
  });
  if (!api.ok) log.error('there is no signals API', { problem: api.error.message });
  board.tell({
    kind: 'section',
    name: 'signalsServer',
    value: api.ok ? { url: api.server.url, problem: null } : { url: null, problem: api.error.message },
  });
  board.tell({
    kind: 'section',
    name: 'settings',
    value: { file: origin.file, delivery: settings.ads.delivery, problems: [...origin.warnings] },
  });
  if (api.ok && origin.service) {
    origin.service.introduce({ url: api.server.url, token: api.server.token });
    log.info(`play store in a browser: ${origin.service.origin}/simulator`);
  }

  let admin: Admin | null = null;
  endInOrder(async () => {
    ending = true;
    await admin?.close();
    refresh.stop();
    native?.stop();
    link?.close();
    tokens?.stop();
    await player.shutDown();
    await books.writeSnapshot();
    await media.close();
    await house?.close();
    if (api.ok) await api.server.close();
    origin.service?.stop();
    log.info('Endcap ended in order');
  }, SHUTDOWN_MS);

  // The service.
  let inventoryAnswers = tokens === null;
  const askInventory = async (access: AccessTokens) => {
    const inventory = await callInventory({
      http,
      tokens: access,
      baseUrl,
      projectId: projectId ?? '',
      namespaceHeader: settings.ads.namespaceHeader,
    });
    tellService('inventory', inventory);
    inventoryAnswers = inventory.kind === 'ok';
    if (inventory.kind === 'ok') trust(inventory.serverTime);
    else
      log.warn('the inventory service does not take this account', {
        code: inventory.error.code,
        message: inventory.error.message,
      });
  };
  const takePlaylist = playlistAnswers({
    read: readAnswer,
    playlist,
    clock,
    log,
    host: new URL(baseUrl).host,
    trust,
    onRead: (accepted, rejected) =>
      board.tell({
        kind: 'playlist',
        playlist: {
          ads: accepted.length,
          playable: accepted.filter((ad) => mediaUrl(ad) !== null).length,
          rejected,
          receivedAt: clock.now(),
        },
      }),
    onNoFill: () => board.tell({ kind: 'no-fill' }),
  });
  const refresh = createPlaylistRefresh({
    request: ads.requestPlaylist,
    tell: (result) => tellService('ads', result),
    offer: async (answer) => {
      const verdict = await takePlaylist(answer);
      if (verdict.kind === 'accepted') media.revalidate();
      if (tokens && !inventoryAnswers) void askInventory(tokens);
      return verdict;
    },
    validators: playlist.validators,
    host: new URL(baseUrl).host,
    refreshSeconds: settings.ads.refreshSeconds,
    clock,
    random,
    schedule: timers,
    log,
  });
  refresh.start();
  native?.start();
  admin = await createAdmin({
    channel: adminChannel,
    dataDirectory,
    clock,
    schedule: timers,
    pause,
    log,
    kiosk: {
      status,
      records: client,
      environment,
      player: [settings.ads.params.playerid ?? []].flat()[0] ?? null,
      playlist: playlist.current,
      maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
      explain: (ad, at, staleAt) =>
        explainAd(ad, {
          at,
          staleAt,
          context: signals.current(),
          counters: books.counters(ad.metadata.flightId),
          media: explainedMedia(mediaOf(ad)),
        }),
      media: mediaOf,
      rejected: () => {
        const { rejected = [], rejectedTotal = 0 } = board.status().playlist ?? {};
        return { list: rejected, total: rejectedTotal };
      },
      signalAges: signals.ages,
      outboxCounts: beacons.counts,
      hold: player.hold,
      isStoreOpen,
      refresh: async () => void (await refresh.refreshNow()),
      skip() {
        player.hold('skipped', true);
        player.hold('skipped', false);
      },
      settingsVolume: settings.playback.volume,
      setVolume(chosen) {
        volume = chosen;
      },
      clearMedia: media.clear,
      settings,
    },
    settingsFile: origin.file,
    gesture: settings.admin.gesture,
    shortcut: settings.admin.shortcut,
    pinHash: settings.admin.pinHash?.reveal() ?? null,
    language: settings.ui.language,
    rotation: settings.playback.rotation,
    version: versions.endcap,
    hostName: hostname(),
    addresses: () =>
      Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .filter(({ internal }) => !internal)
        .map(({ address }) => address),
    checkConnection: (tried, onStep) => checkConnection(tried, { http, random, log, device }, onStep),
    driveFiles: driveFilesOnDisk,
    machine: {
      restartPlayer() {
        app.relaunch();
        app.quit();
      },
      // Only the operating system may say whether a kiosk restarts the computer; no setting grants it yet.
      restartKiosk: null,
      leave: () => app.quit(),
      tryDemo: null,
    },
  });
  volume = admin.volume() ?? volume;
  board.tell({
    kind: 'section',
    name: 'kiosk',
    value: { id: admin.fingerprint, publicKey: admin.publicKey },
  });
  if (tokens) await askInventory(tokens);
}

/** The client of native ads where they are on, and the settings give what it needs (rule 20). */
function createClientOfNative(
  settings: Settings,
  http: Http,
  wrappers: WrapperOptions,
  device: NativeDevice,
  log: Log,
): NativeClient | null {
  const { nativeUrl } = settings.service;
  if (!settings.native.enabled || nativeUrl === null) return null;
  const made = createNativeClient({
    http,
    nativeUrl,
    wrappers,
    newId: randomUUID,
    settings: settings.native,
    device,
    language: settings.ui.language,
  });
  if (made.kind === 'client') return made.client;
  for (const { path, message } of made.problems) log.error('native ads are off', { setting: path, message });
  return null;
}

/** Where an ad's media is, as its explanation wants to know. */
function explainedMedia(media: MediaState): Media {
  if (media.state === 'unsupported') return media;
  return media.state === 'ready' ? { state: 'ready' } : { state: 'not-ready', url: media.url };
}

/** Lets timers and I/O run between two steps of long work. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Whether something that should be heard of every few seconds was. */
function lifeSign(heardAt: number | null, clock: Clock): 'starting' | 'answering' | 'silent' {
  if (heardAt === null) return 'starting';
  return clock.monotonic() - heardAt < SILENT_AFTER_MS ? 'answering' : 'silent';
}

/** Size of the picture as the shopper sees it, px. */
function screenSize(rotation: number): { width: number; height: number } {
  const { size, scaleFactor } = screen.getPrimaryDisplay();
  const [width, height] = [Math.round(size.width * scaleFactor), Math.round(size.height * scaleFactor)];
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
}
