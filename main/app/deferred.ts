import { describeRunningKiosk, type RunningKiosk } from '../admin/running-kiosk';
import { openLocalApi } from '../api/open-local-api';
import { playsStream } from '../api/plays-stream';
import { openIdentityInTime, reportIdentity } from '../fleet/identity';
import { thisMachine } from '../fleet/machine';
import { proofRow } from '../fleet/proof-rows';
import { reportProof } from '../fleet/report-proof';
import { createSegmentSender } from '../fleet/send-segment';
import { startShipper } from '../fleet/shipper';
import type { SigningKey } from '../fleet/signing-key';
import { keepBooks } from '../records/book-keeping';
import { restAfterWork } from '../schedule';
import { documentOf } from '../settings/remote/remote-settings';
import { setAutostart } from '../shell/autostart';
import { trustInChromium } from '../shell/chromium-cas';
import { isEnding } from '../shell/kiosk-end';
import { runProgram } from '../shell/run-program';
import { memoryNow, versions } from '../shell/this-machine';
import { createMetrics } from '../status/metrics';
import { momentBefore } from '../status/moment';
import { type StatusReader, statusReader } from '../status/read-status';
import { reportChromiumCas } from '../status/report-egress';
import { reportTakenBack } from '../status/report-taken-back';
import { sentenceOf } from '../status/status-board';
import type { Core } from './core';
import type { Decisions } from './decisions';
import type { Disposable } from './lifecycle';
import { httpOf } from './network';
import { openOverlay } from './overlay';
import type { Playback } from './playback';

/** All that the first frame does not need: fresh ads, the local API, the staff's overlay, housekeeping. */
export async function startDeferred(core: Core, decisions: Decisions, playback: Playback): Promise<void> {
  const { settings, windows, found, lifecycle, log } = core;
  const { network, board } = decisions;
  // In a safe start only once that is over (rule 25).
  void network.gate.opened.then(() => {
    if (isEnding()) return;
    playback.supply.start();
    playback.native?.start();
  });
  decisions.display.start();
  lifecycle.keep({ dispose: decisions.display.stop });
  if (process.platform === 'linux') void reportChromiumCas(board.tell, log, network.egress, trustInChromium);
  void reportTakenBack(board.tell, process.env.ENDCAP_UPDATE_REPORT || null, versions.endcap, log);
  keepBooks({ ...core, ...decisions, deliversProof: settings.proof.url !== null });
  const status = createStatus(core, decisions, playback);
  const identity = openIdentityInTime(
    {
      ...core,
      machine: await thisMachine(),
      records: windows.records,
      now: core.clock.now,
      startedAt: playback.startedAt,
    },
    { ...core, tell: board.tell, onOwnBeacons: () => core.events.emit('ownBeaconsKnown') },
  );
  const hasKey = await identity.tried;
  if (!hasKey && core.isCovered) {
    // Without a key there is no overlay yet that would take the place of the set-up.
    windows.stage.replace();
    playback.hold('overlay', false);
  }
  const api = await openApi(core, decisions, status);
  // Each part is kept as soon as it has started, because the kiosk may end before the next one has.
  lifecycle.keep({ dispose: api.close });
  windows.serviceManager.describe(() => sentenceOf(board.told()));
  if (settings.ui.speech === 'headphones') lifecycle.keep(await readOut(core));
  const { autostart } = settings.playback;
  if (autostart !== null)
    setAutostart(autostart).catch((error: unknown) => log.error('the autostart could not be set', { error }));
  // Without a key the kiosk plays, and the API says why it does nothing else.
  const { key } = reportIdentity(board.tell, await identity.opened);
  if (isEnding()) return;
  const proof = startProof(core, decisions, key);
  if (proof) lifecycle.keep(proof);
  const admin = await openOverlay(core, {
    kiosk: runningKiosk(core, decisions, playback, status, key),
    settingsFile: found.file,
    preferences: decisions.preferences,
    check: { httpOf: httpOf(core.clock, network.gate), device: decisions.device },
  });
  lifecycle.keep({ dispose: admin.close });
  const { remote } = found;
  if (
    remote &&
    admin.fleet &&
    (settings.fleet.brokers.length > 0 || documentOf(remote.kept.now()) !== null)
  ) {
    const { joinFleet } = await import('./fleet-link');
    await joinFleet(core, remote, decisions, key, admin.fleet, playback.supply.networkIsBack);
  }
  void network.gate.opened.then(playback.supply.askInventory);
}

/** The status for all its readers. */
function createStatus({ windows, clock }: Core, decisions: Decisions, playback: Playback): StatusReader {
  const { network, playlist, files, board } = decisions;
  return statusReader(board.told, {
    ...decisions,
    ...playback,
    versions,
    clock,
    playable: files.playable,
    usualMs: playback.imageMs,
    processStartedAt: momentBefore({ ...clock.throughSleep, now: clock.systemNow }, process.uptime() * 1_000),
    memory: memoryNow,
    egress: network.egress,
    playlist: playlist.current,
    restarts: windows.restarts,
  });
}

function openApi(core: Core, decisions: Decisions, status: StatusReader) {
  const { settings, windows, found, clock, schedule, pause } = core;
  const metrics = createMetrics();
  decisions.board.countWith(metrics.count);
  return openLocalApi({
    ...core,
    ...decisions,
    metrics,
    status,
    port: settings.signals.port,
    tokenAccess: { group: settings.signals.tokenGroup, mode: settings.signals.tokenMode },
    windowSilentMs: windows.stage.silentMs,
    recordsSilentMs: windows.recordsWindow.silentMs,
    plays: playsStream({ records: windows.records, clock, rest: restAfterWork(schedule, pause) }),
    version: versions.endcap,
    demo: found.service,
  });
}

/** The playing kiosk, for the overlay. */
function runningKiosk(
  { settings, windows }: Core,
  decisions: Decisions,
  playback: Playback,
  status: StatusReader,
  key: SigningKey,
): RunningKiosk {
  const { playlist, display, media } = decisions;
  const { online, supply } = playback;
  return describeRunningKiosk({
    ...decisions,
    ...playback,
    key,
    status,
    settings,
    records: windows.records,
    playlist: playlist.latest,
    onlineAnswer: () => online?.lastAnswer() ?? null,
    refresh: supply.refreshNow,
    switchDisplay: process.platform === 'linux' ? display.switch : null,
    clearMedia: media.clear,
    cache: media,
  });
}

/** Ships proof of play to `proof.url` (rule 28); null: there is none. */
function startProof(core: Core, { network, board, places }: Decisions, key: SigningKey): Disposable | null {
  const { windows, schedule, pause } = core;
  const { proof } = core.settings;
  const { url } = proof;
  if (url === null) return null;
  const http = network.egress.httpTo(proof);
  const send = createSegmentSender({ ...proof, url }, key.fingerprint, http);
  const everyMs = proof.everySeconds * 1_000;
  return startShipper({
    ...core,
    records: windows.records,
    key,
    rowOf: (entry) => proofRow(entry, { kiosk: key.fingerprint, ...places.of(entry.play) }),
    maxRows: proof.maxRows,
    everyMs,
    rest: restAfterWork(schedule, pause),
    // A try in a safe start would be reported as an error of the store's network.
    send: (...segment) => network.gate.opened.then(() => send(...segment)),
    onResult: (result) => board.tell({ kind: 'segment-tried', result }),
    onChange: reportProof(board.tell, core.clock, everyMs),
  });
}

/** Reads native ads, and what a tap on one opened, to a person with headphones (`ui.speech`). */
async function readOut({ settings, windows, events, schedule, log }: Core): Promise<Disposable> {
  const [{ startSpeech }, { headphonesPluggedIn, systemSpeech }] = await Promise.all([
    import('../speech/speech'),
    import('../speech/system-speech'),
  ]);
  const { language } = settings.ui;
  const speech = startSpeech({
    headphones: () => headphonesPluggedIn(runProgram),
    // A native ad's own video may have sound.
    say: systemSpeech({ language, schedule, log, onSpeaking: windows.stage.silence }),
    language,
    schedule,
  });
  events.on('stageCommand', speech.onCommand);
  events.on('stageEvent', speech.onStage);
  events.on('linkShown', speech.onLink);
  return speech;
}
