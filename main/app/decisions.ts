import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ad } from '../../shared/ad';
import { DAY_MS } from '../../shared/clock';
import { openMaintenance } from '../admin/maintenance';
import { openPreferences } from '../admin/preferences';
import { blockOfAd } from '../decisions/blocks';
import { createDecider } from '../decisions/decider';
import { fullBelow } from '../disk-room';
import { openAnnouncement } from '../fleet/link/announcement';
import { type BlockList, openBlockList } from '../fleet/link/block-list';
import { openPlaces } from '../fleet/proof-places';
import { limitedLog } from '../limited-log';
import { realDisk } from '../media/disk';
import { fetchHouseFile } from '../media/house-file';
import { createHouseFolder } from '../media/house-folder';
import { createMediaCache } from '../media/media-cache';
import { openQuarantine } from '../media/quarantine-store';
import { createAdFiles } from '../playback/ad-files';
import { followBlocks } from '../playback/follow-blocks';
import { createPlaylist } from '../playback/playlist';
import { reportUnknownWindows } from '../playback/unknown-windows';
import { bookName } from '../records/book-names';
import { createBooks } from '../records/books';
import { demandAccess, openBooks } from '../records/open-books';
import { reopenEachTime } from '../records/reopen-each-time';
import { snapshotFiles } from '../records/snapshot';
import { type DisplayControl, openDisplayControl, powerFile } from '../shell/display-switch/display-control';
import { systemWays } from '../shell/display-switch/ways';
import { isThere, onDisplayChange } from '../shell/kiosk-display';
import { runProgram } from '../shell/run-program';
import { screenSize } from '../shell/screen-size';
import { createSignals } from '../signals/signals';
import {
  reportDisplay,
  reportHouseFolder,
  reportSafeStart,
  reportSoftwareDrawing,
} from '../status/report-kiosk';
import { reportMedia, reportService } from '../status/report-service';
import { createStatusBoard, type StatusBoard } from '../status/status-board';
import type { Core } from './core';
import { createNetwork, type Network, thisDevice } from './network';

export type Decisions = Awaited<ReturnType<typeof openDecisions>>;

/**
 * Opens the books and decides what may play now from stored ads. Shows and requests nothing yet.
 *
 * @param isSafeStart plays stored ads, without network at first
 */
export async function openDecisions(core: Core, isSafeStart: boolean) {
  const { settings, dataDirectory, clock, log } = core;
  // The records window reads the books while the other parts are created.
  const opening = openTheBooks(core);
  const network = createNetwork(core, isSafeStart);
  const signals = createSignals(core);
  const board = createStatusBoard(clock.throughSleep);
  const lasting = { ...core, clock: clock.throughSleep };
  const [opened, creatives, maintenance, preferences, announcement, blocks, device, display, places] =
    await Promise.all([
      opening,
      openCreatives(core, network, board),
      openMaintenance(join(dataDirectory, 'maintenance.json'), lasting),
      openPreferences(join(dataDirectory, 'overlay.json'), settings.ui.language, log),
      openAnnouncement(join(dataDirectory, 'announcement.json'), lasting),
      openBlockList({
        path: join(dataDirectory, 'fleet-blocks.json'),
        groups: settings.fleet.groups,
        keys: new Set(settings.fleet.commandKeys.map(({ fingerprint }) => fingerprint)),
        log,
      }),
      thisDevice(),
      openDisplay(core, board),
      openPlacesOf(core, opening),
    ]);
  const { problem } = opened;
  if (problem) board.tell({ kind: 'attention', code: problem.code, problem });
  if (isSafeStart) reportSafeStart(board.tell, network.gate.opened, log);
  reportSoftwareDrawing(board.tell, core.graphics.softwareSince);
  const decided = decide(core, opened, creatives, board, blocks);
  const { player, ofAds } = network;
  const { userAgent } = ofAds;
  return {
    ...opened,
    ...creatives,
    ...decided,
    /** For macros of beacons. */
    kioskFacts: { screen: decided.screen, userAgent, player, params: settings.native.params },
    network,
    signals,
    board,
    tellService: reportService(board.tell),
    /** The pause by staff, which outlives a restart. */
    maintenance,
    /** What staff chose in the overlay: the sound holds from the first ad on. */
    preferences,
    /** The announcement, which outlives a restart too. */
    announcement,
    device,
    /** Switches the display; starts no program before it is started itself. */
    display,
    /** Where each play was, also before the settings named another store or player. */
    places,
    async dispose() {
      await opened.books.writeSnapshot();
      await creatives.dispose();
    },
  };
}

/** Creatives on disk, house creatives included, and their quarantine. */
async function openCreatives(core: Core, { adFetch }: Network, board: StatusBoard) {
  const { settings, windows, dataDirectory, clock, log } = core;
  const quarantine = openQuarantine(join(dataDirectory, 'quarantine.json'), clock, log);
  const { houseDir } = settings.playback;
  const fetchAdFile = adFetch('media');
  const fetchOwnFile = houseDir === null ? () => null : fetchHouseFile(houseDir, realDisk);
  const media = createMediaCache({
    ...core,
    ...settings.media,
    minFreeBytes: Math.max(settings.media.minFreeBytes, 2 * fullBelow(await statfs(dataDirectory))),
    directory: join(dataDirectory, 'media'),
    fetch: async (url, init) => fetchOwnFile(url, init) ?? fetchAdFile(url, init),
    quarantine,
    onAnswer: reportMedia(board.tell),
  });
  const house = houseDir
    ? createHouseFolder({
        ...core,
        folder: houseDir,
        cache: media,
        onRead: reportHouseFolder(board.tell, houseDir),
      })
    : null;
  windows.showMedia(media);
  await media.open();
  house?.open();
  return {
    quarantine,
    media,
    /** Null: the store has no creatives of its own. */
    house,
    dispose: media.close,
  };
}

/** Opens the books of this service, project and player (rule 26), from the records window or from the snapshot. */
async function openTheBooks(core: Core) {
  const { settings, dataDirectory, clock, schedule, events, pause, log } = core;
  const { records, recordsWindow } = core.windows;
  const files = snapshotFiles(join(dataDirectory, 'books.json'), pause);
  const { name: environment, problem } = await bookName(settings, {
    file: join(dataDirectory, 'book-names.json'),
    files,
    records,
    log,
  });
  const books = createBooks({ ...core, records, files, environment });
  events.on('recordsBack', reopenEachTime(books, schedule, limitedLog({ log, clock })));
  const disk = {
    room: () => statfs(dataDirectory),
    demandAccess: () => demandAccess(join(dataDirectory, 'IndexedDB')),
  };
  const stored = await openBooks(books, recordsWindow, disk, log);
  log.info('the books are open', {
    environment,
    plays: stored.playCount,
    unsettled: stored.unsettled,
    ads: stored.playlist?.ads.length ?? 0,
  });
  if (stored.lastPlayAt !== null) clock.booksOpened(stored.lastPlayAt);
  return {
    books,
    environment,
    /** The content of the books when they were opened. */
    stored,
    /** Why the books count from zero although there were earlier ones; null: they do not. */
    problem: problem ?? books.lossProblem(),
  };
}

function openPlacesOf(core: Core, opening: ReturnType<typeof openTheBooks>) {
  const { ads, store } = core.settings;
  const present = { playerId: [ads.params.playerid ?? []].flat()[0] ?? null, store };
  const path = join(core.dataDirectory, 'places.json');
  const books = opening.then(({ environment, stored: { lastPlayAt } }) => ({ environment, lastPlayAt }));
  return openPlaces({ ...core, path, present, books });
}

/** Opens the control of the display (`display.power`), which reports to stage and status. */
async function openDisplay(core: Core, { tell }: StatusBoard): Promise<DisplayControl> {
  const { settings, windows, dataDirectory } = core;
  const report = reportDisplay(tell);
  const display: DisplayControl = await openDisplayControl({
    ...core,
    store: powerFile(join(dataDirectory, 'display.json'), core.log),
    hours: settings.display.power,
    ways: systemWays(process.platform, process.env, runProgram),
    changed() {
      windows.stage.displayIs(!display.holds(), 'power');
      report(display.power());
    },
    switched: (way, isDone) => tell({ kind: 'display-switched', way, isDone }),
  });
  // Before the first slot: the kiosk may have started at night.
  windows.stage.displayIs(!display.holds(), 'power');
  return display;
}

/** Decisions over the stored playlist. */
function decide(
  { settings, windows, clock, schedule, events, pause, log }: Core,
  { books, stored }: Awaited<ReturnType<typeof openTheBooks>>,
  { media }: Awaited<ReturnType<typeof openCreatives>>,
  { tell }: StatusBoard,
  blocks: BlockList,
) {
  const changed = () => events.emit('adsChanged');
  const screen = screenSize({
    display: windows.display,
    isThere: () => isThere(windows.display),
    onDisplayChange,
    rotation: settings.playback.rotation,
    schedule,
    resized() {
      events.emit('screenResized');
      changed();
    },
  });
  const files = createAdFiles(screen, media);
  const sha256Of = (url: string) => media.lookup(url)?.sha256 ?? null;
  const blockOf = (ad: Ad) => blockOfAd(blocks.current(), ad, sha256Of);
  const decider = createDecider({
    ads: [],
    mediaUrl: files.key,
    blockOf,
    weights: settings.ads.sourceWeights,
    counters: stored.flights,
    recency: stored.recency,
    sourceMix: stored.sourceMix ?? { credits: [] },
    running: { at: clock.now(), ran: books.ranMs(), isTrusted: clock.isTrusted() },
  });
  // Before the playlist hears of a file and has an ad chosen.
  followBlocks({ blocks, media, decider });
  const unknownWindows = reportUnknownWindows(tell);
  const playlist = createPlaylist({
    decider,
    store: books,
    media,
    files,
    clock,
    log,
    pause,
    changed,
    maxAgeMs: settings.ads.maxAgeDays * DAY_MS,
    takenOver: (ads) => unknownWindows('stored', ads),
    unusable: (ads, errorCode) => events.emit('filesUnusable', ads, errorCode),
  });
  events.on('screenResized', playlist.wantMedia);
  if (stored.playlist) playlist.restore(stored.playlist);
  blocks.onChange((atOnce) => events.emit('blocksChanged', atOnce));
  return { screen, files, decider, playlist, unknownWindows, blocks, blockOf };
}
