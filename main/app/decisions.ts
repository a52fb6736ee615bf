import { join } from 'node:path';
import type { Ad } from '../../shared/ad';
import { openMaintenance } from '../admin/maintenance';
import { readPublicKey } from '../admin/signing-key';
import { blockOfAd } from '../decisions/blocks';
import { createDecider } from '../decisions/decider';
import type { SafeStart } from '../egress/network-gate';
import { openAnnouncement } from '../fleet/link/announcement';
import { type BlockList, openBlockList } from '../fleet/link/block-list';
import { createAdFiles } from '../playback/ad-files';
import { createPlaylist } from '../playback/playlist';
import { reportUnknownWindows } from '../playback/unknown-windows';
import { screenSize } from '../shell/this-machine';
import { createSignals } from '../signals/signals';
import { reportSafeStart } from '../status/report-kiosk';
import { reportService } from '../status/report-service';
import { createStatusBoard, type StatusBoard } from '../status/status-board';
import { type OpenedBooks, openTheBooks } from './books';
import type { Core } from './core';
import { type Creatives, openCreatives } from './creatives';
import { openDisplay } from './display';
import { createNetwork, thisDevice } from './network';

export type Decisions = Awaited<ReturnType<typeof openDecisions>>;

/**
 * Opens the books and decides what may play now from stored ads. Shows and requests nothing yet.
 *
 * @param safeStart plays stored ads, without network at first; null: an ordinary start
 */
export async function openDecisions(core: Core, safeStart: SafeStart | null) {
  const { settings, dataDirectory, clock, schedule, log } = core;
  // The records window reads the books while the other parts are created.
  const opening = openTheBooks(core);
  const network = createNetwork(core, safeStart);
  const signals = createSignals({ clock, schedule, log });
  const board = createStatusBoard(clock.now);
  const [opened, creatives, maintenance, announcement, blocks, device, display] = await Promise.all([
    opening,
    openCreatives(core, network),
    openMaintenance(join(dataDirectory, 'maintenance.json'), { clock, schedule, log }),
    openAnnouncement(join(dataDirectory, 'announcement.json'), { clock, schedule, log }),
    openBlockList({
      path: join(dataDirectory, 'fleet-blocks.json'),
      groups: settings.fleet.groups,
      keys: new Set(settings.fleet.commandKeys.flatMap((key) => readPublicKey(key)?.fingerprint ?? [])),
      log,
    }),
    thisDevice(),
    openDisplay(core, board),
  ]);
  if (opened.problem) board.tell({ kind: 'attention', problem: opened.problem });
  if (safeStart) reportSafeStart(board.tell, network.gate.opened, log);
  return {
    ...opened,
    ...creatives,
    ...decide(core, opened, creatives, board, blocks),
    network,
    signals,
    board,
    tellService: reportService(board.tell),
    /** The pause by staff, which outlives a restart. */
    maintenance,
    /** The announcement, which outlives a restart too. */
    announcement,
    device,
    /** Switches the display; starts no program before it is started itself. */
    display,
    async dispose() {
      await opened.books.writeSnapshot();
      await creatives.dispose();
    },
  };
}

/** Decisions over the stored playlist. */
function decide(
  { settings, windows, clock, events, pause, log }: Core,
  { books, stored }: OpenedBooks,
  { media }: Creatives,
  { tell }: StatusBoard,
  blocks: BlockList,
) {
  const changed = () => events.emit('adsChanged');
  const screen = screenSize(windows.display, settings.playback.rotation, changed);
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
    running: { at: clock.now(), ran: books.ranMs(), isTrusted: clock.lastTrustedAt() !== null },
  });
  const unknownWindows = reportUnknownWindows(tell);
  const playlist = createPlaylist({
    ...{ decider, store: books, media, files, log, pause, changed },
    maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
    takenOver: (ads) => unknownWindows('stored', ads),
  });
  if (stored.playlist) playlist.restore(stored.playlist);
  blocks.onChange((atOnce) => {
    decider.blocksChanged();
    events.emit('blocksChanged', atOnce);
  });
  media.onChange(() => {
    // Blocks may name files by hash, which is known only now.
    if (blocks.current().hasFiles) decider.blocksChanged();
  });
  return { screen, files, decider, playlist, unknownWindows, blocks, blockOf };
}
