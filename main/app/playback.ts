import { holdInPause } from '../admin/maintenance';
import { createHarmTracker } from '../playback/harm-tracker';
import { createPlayer, type Player } from '../playback/player';
import { keepMediaInUse, type PlayerFact } from '../playback/player-fact';
import { playDecision } from '../playback/slot-ad';
import { isOpen } from '../settings/open-hours';
import { markPlaying } from '../shell/playing-mark';
import { beforeErrorExit } from '../shell/unexpected-errors';
import { writeWholeFile } from '../whole-file';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { firstPlayback, onPress } from './events';
import { createSlotSources, type SlotSources } from './slot-sources';
import { startWatches } from './watches';

export type Playback = ReturnType<typeof startPlayback>;

/** Starts the slot loop and its sources. It plays stored ads as soon as the stage is ready. */
export function startPlayback(core: Core, decisions: Decisions) {
  const { live, events, isCovered } = core;
  const startedAt = core.clock.now();
  const firstFrame = firstPlayback(events, isFirstFrame);
  const sources = createSlotSources(core, decisions);
  reportFacts(core, decisions);
  if (process.env.ENDCAP_SCREENSHOT) keepScreenshots(core, process.env.ENDCAP_SCREENSHOT);
  const isStoreOpen = (at: number) => {
    const hours = live.getState()['playback.openHours'];
    return hours === null || isOpen(hours, at);
  };
  /** The store's time zone, as far as its hours name one. */
  const timeZone = () =>
    (live.getState()['playback.openHours'] ?? core.settings.display.power)?.timeZone ?? null;
  const player = createThePlayer(core, decisions, sources, isStoreOpen);
  const hold: Player['hold'] = (reason, holds) => void events.emit('hold', reason, holds);
  // Before the first slot: a pause outlives a restart.
  holdInPause(decisions.maintenance, hold);
  hold('overlay', isCovered);
  listenToStage(core, decisions, sources, player);
  showAnnouncement(core, decisions);
  // Started now only if the display must be switched before anything is shown; otherwise after the first
  // frame.
  if (decisions.display.holds()) decisions.display.start();
  startWatches(core, decisions, sources, player, { isStoreOpen, timeZone });
  return {
    ...sources,
    player,
    hold,
    isStoreOpen,
    timeZone,
    /** Before the first play, ms since the epoch. */
    startedAt,
    /** Resolves when a frame was presented, or there is nothing to show. */
    firstFrame,
    async dispose() {
      sources.dispose();
      await player.shutDown();
    },
  };
}

/** The end of a play without a frame counts too: the brand card was shown before its creative was ready. */
const isFirstFrame = ({ kind }: PlayerFact) => kind === 'showing' || kind === 'settled';

/** Reports the player's facts to the status, and protects the files that play from removal. */
function reportFacts({ events, log }: Core, { media, board, network }: Decisions): void {
  events.on('playback', board.tell);
  events.on('playback', keepMediaInUse(media));
  events.on('playback', markPlaying(process.env.RUNTIME_DIRECTORY || null, log, network.gate.opened));
}

function createThePlayer(
  core: Core,
  { books, environment, signals }: Decisions,
  { beacons, online, slotSchedule, native, link }: SlotSources,
  isStoreOpen: (at: number) => boolean,
): Player {
  const { settings, windows, clock, events } = core;
  const player = createPlayer({
    ...core,
    sendToStage(command) {
      events.emit('stageCommand', command);
      windows.stage.tell('stage', command);
    },
    stageSilentMs: () => windows.stage.silentMs() ?? Number.POSITIVE_INFINITY,
    ads: slotSchedule,
    isOpen: isStoreOpen,
    books,
    tell: (fact) => events.emit('playback', fact),
    decision: playDecision({ trustsOnline: settings.ads.onlineAudience === 'trust', signals }),
    online,
    beacons,
    environment,
  });
  events.on('playback', (fact) => {
    if (fact.kind === 'held') native?.stageHeld(fact.reason !== null);
    if (fact.kind !== 'reserved') return;
    clock.playStored(fact.play.at);
    slotSchedule.reserved(fact.facts);
  });
  events.on('adsChanged', player.changed);
  events.on('blocksChanged', (atOnce) => {
    native?.blocksChanged(atOnce);
    player.takeDown(atOnce);
  });
  events.on('hold', (reason, holds) => {
    player.hold(reason, holds);
    if (ENDS_VISITS.has(reason)) link?.hold(reason, holds);
  });
  return player;
}

/** Holds that close the link view: it would cover them, or stay open below them for the next shopper. */
const ENDS_VISITS: ReadonlySet<string> = new Set(['overlay', 'maintenance', 'announcement', 'display-off']);

/** Nothing plays below an announcement (rule 14), which may have outlived a restart. */
function showAnnouncement({ windows, events }: Core, { announcement }: Decisions): void {
  const show = () => {
    const shown = announcement.current();
    const drawn = shown && { text: shown.text, severity: shown.severity, language: shown.language };
    windows.stage.keep({ type: 'announcement', announcement: drawn });
    events.emit('hold', 'announcement', shown !== null);
  };
  if (announcement.current() !== null) show();
  announcement.onChange(show);
}

/** Connects the kiosk window to the player, and blames creatives for what harms the window (rule 11). */
function listenToStage(
  { windows, clock, events }: Core,
  { quarantine, media, display }: Decisions,
  { guests, native, link }: SlotSources,
  player: Player,
): void {
  const { stage } = windows;
  const harmTracker = createHarmTracker({
    drawnOnStage: player.drawnOnStage,
    quarantine,
    media,
    endGuests: guests.endDrawn,
    endScriptsAndLink: () => [guests.endScripts(), link?.endSuspect() ?? false].includes(true),
    isWaiting: guests.isWaiting,
    lastFrame: stage.lastHeartbeat,
    clock,
  });
  events.on('playback', harmTracker.tell);
  events.on('guestHarmed', harmTracker.guestHarmed);
  events.on('driverBlamed', quarantine.driverBlamed);
  beforeErrorExit(harmTracker.mainEnds);
  onPress(events, display.touched);
  stage.listen({
    onEvent(event) {
      events.emit('stageEvent', event);
      player.onStageEvent(event);
    },
    onLost() {
      link?.close();
      player.onStageLost();
    },
    onLink: (event) => link?.onEvent(event),
    onInput(type) {
      events.emit('input', type);
      link?.touched(type);
      native?.input(type);
    },
    onVisible: (visible) => events.emit('hold', 'window-hidden', !visible),
    onDisplay: (isOn) => events.emit('hold', 'display-off', !isOn),
    onHarm: harmTracker.harmed,
  });
}

/** Long enough for the first frame to be composited, ms. */
const SETTLE_MS = 500;

/**
 * Writes a screenshot to a file a moment after every change, for a kiosk without a display. The file is replaced in one
 * step.
 */
function keepScreenshots({ windows, events, log }: Core, file: string): void {
  let timer: NodeJS.Timeout | undefined;
  events.on('playback', ({ kind }) => {
    if (kind !== 'showing') return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      windows.stage
        .screenshot()
        .then((png) => writeWholeFile(file, png, 0o666))
        .catch((error: unknown) => log.debug('no screenshot was taken', { error }));
    }, SETTLE_MS);
  });
}
