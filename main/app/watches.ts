import { followClock } from '../playback/follow-clock';
import type { Player } from '../playback/player';
import { whyDiskFull } from '../records/open-books';
import { BUILD_DATE } from '../service/server-time';
import { ownSettingsFile } from '../settings/locate-settings';
import { nightlyRestart } from '../settings/nightly-restart';
import { remoteSettingsStatus } from '../settings/remote/remote-settings';
import { watchSettings, whyUnusable } from '../settings/settings-watch';
import { isEnding, restart } from '../shell/kiosk-end';
import { onResume, onSuspend } from '../shell/this-machine';
import { SIGNAL_KINDS } from '../signals/signal-kinds';
import { reportClientCertificates, reportSystemClock } from '../status/report-kiosk';
import { reportSettings } from '../status/report-settings';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { onPress } from './events';
import type { SlotSources } from './slot-sources';

/** How often clocks, opening hours and the settings file are checked, ms. */
const LOOK_AROUND_MS = 5_000;
/** Time without a touch before a nightly restart, ms. */
const QUIET_MS = 5 * 60_000;
/** Longest time that a nightly restart waits for an export, ms: its drive may never answer. */
const MAX_EXPORT_WAIT_MS = 60 * 60_000;

interface StoreTime {
  /** At a time in ms since the epoch. */
  readonly isStoreOpen: (at: number) => boolean;
  /** The store's; null: the machine's own. */
  readonly timeZone: () => string | null;
}

/** Follows what changes while the kiosk plays: signals, clocks, opening hours, sleep, the settings file. */
export function startWatches(
  core: Core,
  decisions: Decisions,
  sources: SlotSources,
  player: Player,
  { isStoreOpen, timeZone }: StoreTime,
): void {
  const { windows, clock, events } = core;
  const { decider, signals, board } = decisions;
  signals.onChange((context) => {
    decider.setContext(context);
    sources.native?.look();
    player.changed();
  });
  followClock({
    ...core,
    ...decisions,
    askAgain: sources.supply.askAgain,
    changed() {
      sources.native?.look();
      player.changed();
    },
  });
  const tellSystemClock = reportSystemClock(board.tell, clock, BUILD_DATE);
  tellSystemClock();
  const tellCertificates = reportClientCertificates(board.tell, core.settings, clock.now);
  const restartAtNight = nightlyRestart({
    ...core,
    timeZone,
    isIdle: idleCheck(core, sources),
    whyUnusable: () => whyUnusable(core.found.search),
    whyDiskFull: () => whyDiskFull(core.dataDirectory),
    mayTryHardware: core.graphics.mayTryHardware,
    isOnTrial: () => (core.found.remote?.kept.now().trial ?? null) !== null,
    restart,
  });
  const holdWhileClosed = () => events.emit('hold', 'closed', !isStoreOpen(clock.now()));
  // Before native ads are requested.
  holdWhileClosed();
  setInterval(() => {
    clock.sample();
    tellSystemClock();
    tellCertificates();
    holdWhileClosed();
    void restartAtNight();
  }, LOOK_AROUND_MS).unref();
  core.live.subscribe(() => {
    decider.setWeights(core.live.getState()['ads.sourceWeights']);
    holdWhileClosed();
    player.changed();
  });
  onSuspend(clock.fallsAsleep);
  onResume(() => {
    clock.resumed();
    windows.liveness.woke();
    // How old the signals are is unknown: the monotonic clock may have stopped during sleep.
    for (const kind of SIGNAL_KINDS) signals.clear(kind);
    // Its countdown stood still, and somebody else may be there. After the signals, because a native request follows.
    sources.link?.close();
  });
  watchSettingsFile(core, decisions);
}

/** Returns a check that tells whether nobody uses the kiosk or waits for an export, and it does not end already. */
function idleCheck({ clock, events }: Core, { native }: SlotSources): () => boolean {
  let touchedAt = Number.NEGATIVE_INFINITY;
  onPress(events, () => {
    touchedAt = clock.monotonic();
  });
  let exportBegan = Number.NEGATIVE_INFINITY;
  events.on('exporting', (isRunning) => {
    exportBegan = isRunning ? clock.monotonic() : Number.NEGATIVE_INFINITY;
  });
  // An orderly end takes a while.
  return () =>
    !isEnding() &&
    !(native?.inSession() ?? false) &&
    clock.monotonic() - touchedAt >= QUIET_MS &&
    clock.monotonic() - exportBegan >= MAX_EXPORT_WAIT_MS;
}

/** Reports changes of the settings file to the status; the settings in force stay. */
function watchSettingsFile(
  { found, settings, dataDirectory, schedule, events, log }: Core,
  { board }: Decisions,
): void {
  const { file, search, warnings, remote } = found;
  const section = { file, delivery: settings.ads.delivery, problems: [...warnings] };
  const remoteStatus = remote && (() => remoteSettingsStatus(remote.kept.now(), remote.setAside));
  const report = reportSettings(board.tell, section, remoteStatus, log);
  events.on('remoteSettingsChanged', report.remoteChanged);
  if (file === null || search === null) return;
  watchSettings({
    file,
    takesPins: file === ownSettingsFile(dataDirectory),
    search,
    schedule,
    everyMs: LOOK_AROUND_MS,
    onChange: report.fileChanged,
  });
}
