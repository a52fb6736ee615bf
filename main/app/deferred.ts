import { createAdmin } from '../admin/admin';
import { checkConnection } from '../admin/connection-check';
import { driveFilesOnDisk } from '../admin/mounted-drives';
import { playsStream } from '../admin/plays-stream';
import { describeRunningKiosk, type RunningKiosk } from '../admin/running-kiosk';
import { unhurried } from '../admin/unhurried';
import { recount } from '../decisioning/flight-counters';
import { slotsAhead } from '../playback/slots-ahead';
import { keepBooks } from '../records/book-keeping';
import { setAutostart } from '../shell/autostart';
import { trustInChromium } from '../shell/chromium-cas';
import { systemKeyring } from '../shell/keyring';
import { machineControls } from '../shell/machine-controls';
import { addresses, hostName, versions } from '../shell/this-machine';
import { type LoopbackApi, openLoopbackApi } from '../signals/loopback-api';
import { reportChromiumCas } from '../signals/report-egress';
import { upcomingStatus } from '../signals/report-playback';
import { tellSections } from '../signals/report-sections';
import { MAX_UPCOMING, type Status } from '../signals/status';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { httpOf } from './network';
import type { Playback } from './playback';

/** All that the first picture does not need: fresh ads, the loopback API, the staff's overlay, housekeeping. */
export async function startDeferred(core: Core, decisions: Decisions, playback: Playback): Promise<void> {
  const { settings, windows, found, lifecycle, log } = core;
  const { network, reporting } = decisions;
  const { board } = reporting;
  startRequests(core, decisions, playback);
  if (process.platform === 'linux') void reportChromiumCas(board, log, network.egress, trustInChromium);
  keepTheBooks(core, decisions);
  const status = createStatus(decisions, playback);
  const api = await openApi(core, decisions, playback, status);
  // Each as soon as it is there: the end may come before the next one is.
  lifecycle.keep({ dispose: api.close });
  if (found.service) windows.watchService(found.service);
  windows.serviceManager.describe(() => board.status().sentence);
  const admin = await openOverlay(core, decisions, runningKiosk(core, decisions, playback, status));
  lifecycle.keep({ dispose: admin.close });
  const { fingerprint: id, publicKey } = admin;
  board.tell({ kind: 'section', name: 'kiosk', value: { id, publicKey } });
  const { autostart } = settings.playback;
  if (autostart !== null)
    setAutostart(autostart).catch((error: unknown) => log.error('the autostart could not be set', { error }));
  void network.gate.opened.then(playback.supply.askInventory);
}

/** From now on the service is asked; in a safe start, once that is over (rule 25). */
function startRequests({ windows }: Core, { network }: Decisions, { supply, native }: Playback): void {
  void network.gate.opened.then(() => {
    if (windows.isEnding()) return;
    supply.start();
    native?.start();
  });
}

/** The status of this moment. */
function createStatus(decisions: Decisions, { beacons, native, report, imageMs }: Playback): () => Status {
  const { environment, books, media, quarantine, network, reporting, decider, files } = decisions;
  const { board } = reporting;
  const { egress } = network;
  return () => {
    tellSections(board, { environment, books, media, quarantine, beacons, native, egress });
    const { prepared, from } = report.ahead();
    const choosing = { decider, playable: files.playable, usualMs: imageMs };
    const value = upcomingStatus(slotsAhead(choosing, from, prepared, MAX_UPCOMING));
    board.tell({ kind: 'section', name: 'upcoming', value });
    return board.status();
  };
}

function openApi(
  core: Core,
  decisions: Decisions,
  { tokens, beacons, report }: Playback,
  status: () => Status,
): Promise<LoopbackApi> {
  const { settings, windows, found, dataDirectory, clock, schedule, pause, log } = core;
  const { reporting, playlist, decider, media } = decisions;
  const registry = reporting.openMetrics({
    tokenAgeMs: () => tokens?.tokenAgeMs() ?? null,
    beacons: beacons.counts,
    playlistAgeMs() {
      const stored = playlist.current();
      return stored && clock.now() - stored.receivedAt;
    },
    tally: () => decider.tally(clock.now()),
    cache: media.usage,
    restarts: windows.restarts,
  });
  return openLoopbackApi({
    port: settings.signals.port,
    windowHeard: windows.stage.lastHeartbeat,
    recordsHeard: windows.recordsWindow.lastAnswer,
    video: report.video,
    plays: playsStream({ records: windows.records, clock, rest: unhurried(schedule, pause) }),
    version: versions.endcap,
    demo: found.service,
    ...{ dataDirectory, reporting, registry, status, clock, log },
  });
}

function keepTheBooks(
  { clock, schedule, pause, log }: Core,
  { books, environment, decider }: Decisions,
): void {
  keepBooks({
    ...{ books, clock, schedule, log, recount, pause, environment },
    corrected: decider.replaceCounters,
    flightsToRecount: decider.flightsToRecount,
    takeRecount: decider.takeRecount,
    shrinkUnseen: decider.shrinkUnseen,
    forgetRecency: decider.forgetRecency,
  });
}

/** The playing kiosk as the overlay shows it and changes it. */
function runningKiosk(
  { settings, windows }: Core,
  { environment, playlist, maintenance, reporting, books, decider, media, files }: Decisions,
  { online, beacons, player, supply, volume, isStoreOpen }: Playback,
  status: () => Status,
): RunningKiosk {
  return describeRunningKiosk({
    ...{ status, environment, maintenance, isStoreOpen, settings, reporting, books, decider, files },
    records: windows.records,
    playlist: playlist.current,
    onlineAnswer: () => online?.lastAnswer() ?? null,
    outboxCounts: beacons.counts,
    hold: player.hold,
    refresh: async () => (await supply.refreshNow()).lastError,
    skip() {
      player.hold('skipped', true);
      player.hold('skipped', false);
    },
    setVolume: volume.choose,
    clearMedia: media.clear,
    cache: media,
  });
}

/** Main's half of the staff's overlay. */
async function openOverlay(core: Core, { network, device }: Decisions, kiosk: RunningKiosk) {
  const { settings, windows, found, dataDirectory, clock, schedule, random, reading, pause, log } = core;
  const { gesture, shortcut, pinHash } = settings.admin;
  const checkParts = { httpOf: httpOf(clock, network.gate), random, log, device, reading };
  return createAdmin({
    channel: windows.adminChannel,
    ...{ dataDirectory, clock, schedule, pause, log, kiosk, gesture, shortcut, addresses },
    settingsFile: found.file,
    keyring: systemKeyring,
    pinHash: pinHash?.reveal() ?? null,
    language: settings.ui.language,
    rotation: settings.playback.rotation,
    version: versions.endcap,
    hostName: hostName(),
    checkConnection: (tried, onStep) => checkConnection(tried, checkParts, onStep),
    driveFiles: driveFilesOnDisk,
    machine: await machineControls(),
  });
}
