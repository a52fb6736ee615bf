import { join } from 'node:path';
import { openMaintenance } from '../admin/maintenance';
import { createDecider } from '../decisions/decider';
import type { SafeStart } from '../egress/network-gate';
import { createAdFiles } from '../playback/ad-files';
import { createPlaylist } from '../playback/playlist';
import { reportUnknownWindows } from '../playback/unknown-windows';
import { screenSize } from '../shell/this-machine';
import { createSignals } from '../signals/signals';
import { createMetrics } from '../status/metrics';
import { reportSafeStart } from '../status/report-safe-start';
import { reportService } from '../status/report-service';
import { createStatusBoard, type StatusBoard } from '../status/status-board';
import { type OpenedBooks, openTheBooks } from './books';
import type { Core } from './core';
import { type Creatives, openCreatives } from './creatives';
import { openDisplay } from './display';
import { createNetwork, thisDevice } from './network';

export type Decisions = Awaited<ReturnType<typeof openDecisions>>;

/**
 * Books and decisions: what may play now, from what is stored. Nothing is shown or asked for yet.
 *
 * @param safeStart plays what is stored, without network at first; null: an ordinary start
 */
export async function openDecisions(core: Core, safeStart: SafeStart | null) {
  const { dataDirectory, clock, schedule, log } = core;
  // The records window reads them while the rest is built here.
  const opening = openTheBooks(core);
  const network = createNetwork(core, safeStart);
  const signals = createSignals({ clock, schedule, log });
  const metrics = createMetrics();
  const board = createStatusBoard(clock.now, metrics.count);
  const [opened, creatives, maintenance, device, display] = await Promise.all([
    opening,
    openCreatives(core, network),
    openMaintenance(join(dataDirectory, 'maintenance.json'), { clock, schedule, log }),
    thisDevice(),
    openDisplay(core, board),
  ]);
  if (opened.problem) board.tell({ kind: 'attention', problem: opened.problem });
  if (safeStart) reportSafeStart(board.tell, network.gate.opened, log);
  return {
    ...opened,
    ...creatives,
    ...decide(core, opened, creatives, board),
    network,
    signals,
    board,
    metrics,
    tellService: reportService(board.tell),
    /** A pause that a restart may have fallen into. */
    maintenance,
    device,
    /** Switches the display itself; starts no program by itself. */
    display,
    async dispose() {
      await opened.books.writeSnapshot();
      await creatives.dispose();
    },
  };
}

/** Decisions over the stored playlist. */
function decide(
  { settings, clock, events, pause, log }: Core,
  { books, stored }: OpenedBooks,
  { media }: Creatives,
  { tell }: StatusBoard,
) {
  const changed = () => events.emit('adsChanged');
  const screen = screenSize(settings.playback.rotation, changed);
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
  const unknownWindows = reportUnknownWindows(tell);
  const playlist = createPlaylist({
    ...{ decider, store: books, media, files, log, pause, changed },
    maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
    takenOver: (ads) => unknownWindows('stored', ads),
  });
  if (stored.playlist) playlist.restore(stored.playlist);
  return { screen, files, decider, playlist, unknownWindows };
}
