import type { FleetActions } from '../admin/kiosk-pages';
import { playsStream } from '../admin/plays-stream';
import { describeRunningKiosk, type RunningKiosk } from '../admin/running-kiosk';
import type { SigningKey } from '../admin/signing-key';
import { type LoopbackApi, openLoopbackApi } from '../api/loopback-api';
import { recount } from '../decisions/flight-counters';
import { openIdentity, reportIdentity } from '../fleet/identity';
import { thisMachine } from '../fleet/machine';
import { keepBooks } from '../records/book-keeping';
import { restAfterWork } from '../schedule';
import { setAutostart } from '../shell/autostart';
import { trustInChromium } from '../shell/chromium-cas';
import { runProgram } from '../shell/run-program';
import { memoryNow, versions } from '../shell/this-machine';
import { createMetrics } from '../status/metrics';
import { type StatusReader, statusReader } from '../status/read-status';
import { reportChromiumCas } from '../status/report-egress';
import { reportTakenBack } from '../status/report-taken-back';
import { sentenceOf } from '../status/status-board';
import type { Core, FoundRemote } from './core';
import type { Decisions } from './decisions';
import type { Disposable } from './lifecycle';
import { httpOf } from './network';
import { openOverlay } from './overlay';
import type { Playback } from './playback';
import { startProof } from './proof';

/** All that the first frame does not need: fresh ads, the loopback API, the staff's overlay, housekeeping. */
export async function startDeferred(core: Core, decisions: Decisions, playback: Playback): Promise<void> {
  const { settings, windows, found, lifecycle, dataDirectory, log } = core;
  const { network, board } = decisions;
  startRequests(core, decisions, playback);
  decisions.display.start();
  lifecycle.keep({ dispose: decisions.display.stop });
  if (process.platform === 'linux') void reportChromiumCas(board.tell, log, network.egress, trustInChromium);
  void reportTakenBack(board.tell, process.env.ENDCAP_UPDATE_REPORT || null, log);
  keepBooks({ ...core, ...decisions, recount, deliversProof: settings.proof.url !== null });
  const status = createStatus(core, decisions, playback);
  const { key } = reportIdentity(
    board.tell,
    await openIdentity({
      ...{ dataDirectory, machine: await thisMachine(), records: windows.records, now: core.clock.now, log },
    }),
  );
  const proof = startProof(core, decisions, key);
  if (proof) lifecycle.keep(proof);
  const api = await openApi(core, decisions, status);
  // Each part is kept as soon as it has started, because the kiosk may end before the next one has.
  lifecycle.keep({ dispose: api.close });
  if (found.service) windows.watchService(found.service);
  windows.serviceManager.describe(() => sentenceOf(board.told()));
  const { gesture, shortcut, pinHash } = settings.admin;
  const admin = await openOverlay(core, {
    kiosk: runningKiosk(core, decisions, playback, status),
    settingsFile: found.file,
    ...{ key, gesture, shortcut, pinHash: pinHash?.reveal() ?? null },
    language: settings.ui.language,
    rotation: settings.playback.rotation,
    check: { httpOf: httpOf(core.clock, network.gate), device: decisions.device },
  });
  lifecycle.keep({ dispose: admin.close });
  if (settings.ui.speech === 'headphones') lifecycle.keep(await startSpeech(core));
  if (found.remote && admin.fleet) await joinFleet(core, found.remote, decisions, key, admin.fleet);
  const { autostart } = settings.playback;
  if (autostart !== null)
    setAutostart(autostart).catch((error: unknown) => log.error('the autostart could not be set', { error }));
  void network.gate.opened.then(playback.supply.askInventory);
}

/** Starts the parts for a fleet. Remote settings on trial are judged even without a broker. */
async function joinFleet(
  core: Core,
  remote: FoundRemote,
  decisions: Decisions,
  key: SigningKey,
  actions: FleetActions,
): Promise<void> {
  const hasLink = core.settings.fleet.brokers.length > 0;
  if (!hasLink && remote.kept.now().trial === null) return;
  const { startRemoteSettings } = await import('./remote-settings');
  const trials = startRemoteSettings(core, remote, decisions, actions);
  if (!hasLink) return;
  const { startLiveLink } = await import('./fleet-link');
  core.lifecycle.keep(await startLiveLink(core, decisions, key, actions, trials));
}

/** Starts the requests to the service; in a safe start only once that is over (rule 25). */
function startRequests({ windows }: Core, { network }: Decisions, { supply, native }: Playback): void {
  void network.gate.opened.then(() => {
    if (windows.isEnding()) return;
    supply.start();
    native?.start();
  });
}

/** The status for all its readers. */
function createStatus(
  { windows, clock }: Core,
  { network, playlist, decider, files, board, ...decisions }: Decisions,
  { tokens, beacons, native, imageMs }: Playback,
): StatusReader {
  return statusReader(board.told, {
    ...decisions,
    ...{ versions, clock, tokens, beacons, native, decider, playable: files.playable, usualMs: imageMs },
    processStartedAt: clock.systemNow() - process.uptime() * 1000,
    memory: memoryNow,
    egress: network.egress,
    playlist: playlist.current,
    restarts: windows.restarts,
  });
}

function openApi(core: Core, decisions: Decisions, status: StatusReader): Promise<LoopbackApi> {
  const { settings, windows, found, dataDirectory, clock, schedule, pause, log } = core;
  const { signals, board } = decisions;
  const metrics = createMetrics();
  board.countWith(metrics.count);
  return openLoopbackApi({
    port: settings.signals.port,
    tokenAccess: { group: settings.signals.tokenGroup, mode: settings.signals.tokenMode },
    windowHeard: windows.stage.lastHeartbeat,
    recordsHeard: windows.recordsWindow.lastAnswer,
    plays: playsStream({ records: windows.records, clock, rest: restAfterWork(schedule, pause) }),
    version: versions.endcap,
    demo: found.service,
    ...{ dataDirectory, signals, board, metrics, status, clock, log },
  });
}

/** The playing kiosk, for the overlay. */
function runningKiosk(
  { settings, windows }: Core,
  { environment, playlist, maintenance, display, signals, books, decider, media, files }: Decisions,
  { online, player, hold, supply, volume, isStoreOpen }: Playback,
  status: StatusReader,
): RunningKiosk {
  return describeRunningKiosk({
    ...{ status, environment, maintenance, isStoreOpen, settings, signals, books, decider, files },
    records: windows.records,
    playlist: playlist.current,
    onlineAnswer: () => online?.lastAnswer() ?? null,
    hold,
    refresh: supply.refreshNow,
    skip() {
      player.hold('skipped', true);
      player.hold('skipped', false);
    },
    setVolume: volume.choose,
    switchDisplay: process.platform === 'linux' ? display.switch : null,
    clearMedia: media.clear,
    cache: media,
  });
}

/** Reads native ads, and what a tap on one opened, to a person with headphones (`ui.speech`). */
async function startSpeech({ settings, events, schedule, log }: Core): Promise<Disposable> {
  const [{ Speech }, { headphonesPluggedIn, systemSpeech }] = await Promise.all([
    import('../speech/speech'),
    import('../speech/system-speech'),
  ]);
  const { language } = settings.ui;
  const speech = new Speech({
    headphones: () => headphonesPluggedIn(runProgram),
    say: systemSpeech({ language, schedule, log }),
    ...{ language, schedule },
  });
  events.on('stageCommand', (command) => speech.onCommand(command));
  events.on('stageEvent', (event) => speech.onStage(event));
  events.on('linkShown', (frame) => speech.onLink(frame));
  speech.start();
  return speech;
}
