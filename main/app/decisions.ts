import { join } from 'node:path';
import { openMaintenance } from '../admin/maintenance';
import { createDecider } from '../decisioning/decider';
import { createAdFiles } from '../playback/ad-files';
import { createPlaylist } from '../playback/playlist';
import { reportUnknownWindows } from '../playback/unknown-windows';
import type { SafeStart } from '../service/network-gate';
import { memoryNow } from '../shell/memory';
import { screenSize, versions } from '../shell/this-machine';
import { reportSafeStart } from '../signals/report-safe-start';
import { createReporting, type Reporting } from '../signals/reporting';
import { type OpenedBooks, openTheBooks } from './books';
import type { Core } from './core';
import { type Creatives, openCreatives } from './creatives';
import { createNetwork, thisDevice } from './network';

export type Decisions = Awaited<ReturnType<typeof openDecisions>>;

/**
 * Books and decisions: what may play now, from what is stored. Nothing is shown or asked for yet.
 *
 * @param safeStart it plays what is stored, without network at first; null: an ordinary start
 */
export async function openDecisions(core: Core, safeStart: SafeStart | null) {
  const { dataDirectory, clock, schedule, log } = core;
  // They are read by another process, while the rest is built here.
  const opening = openTheBooks(core);
  const network = createNetwork(core, safeStart);
  const reporting = createReporting({
    ...{ versions, clock, schedule, log, memory: memoryNow },
    uptimeMs: () => process.uptime() * 1000,
  });
  const [opened, creatives, maintenance, device] = await Promise.all([
    opening,
    openCreatives(core, network),
    openMaintenance(join(dataDirectory, 'maintenance.json'), { clock, schedule, log }),
    thisDevice(),
  ]);
  if (opened.problem) reporting.board.tell({ kind: 'attention', problem: opened.problem });
  if (safeStart) reportSafeStart(reporting.board, network.gate.opened, log);
  return {
    ...opened,
    ...creatives,
    ...decide(core, opened, creatives, reporting),
    network,
    reporting,
    /** A pause that a restart may have fallen into. */
    maintenance,
    device,
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
  { board }: Reporting,
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
  const unknownWindows = reportUnknownWindows(board);
  const playlist = createPlaylist({
    ...{ decider, store: books, media, files, log, pause, changed },
    maxAgeMs: settings.ads.maxAgeDays * 86_400_000,
    takenOver: (ads) => unknownWindows('stored', ads),
  });
  if (stored.playlist) playlist.restore(stored.playlist);
  return { screen, files, decider, playlist, unknownWindows };
}
