import { type Blame, createBlame } from '../playback/blame';
import { keepMediaInUse } from '../playback/media-in-use';
import { createPlayer, type Player, type PlayerFact } from '../playback/player';
import { isOpen } from '../settings/open-hours';
import { keepScreenshot } from '../shell/screenshot-file';
import { onLastWords } from '../shell/unexpected-errors';
import { reportPlayback } from '../signals/report-playback';
import { type Answers, createAnswers } from './answers';
import { type Beacons, createBeacons } from './beacons';
import type { Core } from './core';
import type { Decisions } from './decisions';
import { createSlotSources, type SlotSources } from './slot-sources';
import { keepWatch } from './watches';

export type Playback = ReturnType<typeof startPlayback>;

/** The slot loop, and all that it plays from. It begins as soon as the stage is ready, with what is stored. */
export function startPlayback(core: Core, decisions: Decisions) {
  const { settings, events, found } = core;
  const firstPicture = events.first('playback', isPicture);
  const beacons = createBeacons(core, decisions);
  const answers = createAnswers(core, decisions, beacons);
  const sources = createSlotSources(core, decisions, beacons, answers);
  const report = reportFacts(core, decisions);
  const { openHours } = settings.playback;
  const isStoreOpen = (at: number) => openHours === null || isOpen(openHours, at);
  const player = createThePlayer(core, decisions, beacons, answers, sources, isStoreOpen);
  // Before the first slot: a pause goes on where a restart fell into it.
  player.hold('maintenance', decisions.maintenance.until() !== null);
  player.hold('overlay', found.isCovered);
  listenToStage(core, decisions, beacons, sources, player);
  const watch = keepWatch(core, decisions, { answers, sources, player, isStoreOpen });
  return {
    ...beacons,
    ...answers,
    ...sources,
    report,
    player,
    isStoreOpen,
    /** A picture was presented, or there is nothing to show. */
    firstPicture,
    async dispose() {
      watch.dispose();
      answers.dispose();
      sources.dispose();
      await player.shutDown();
    },
  };
}

/** Also the end of a play without a frame: the screen was lit with the brand card before its creative was ready. */
const isPicture = ({ kind }: PlayerFact) =>
  kind === 'showing' || kind === 'nothing-showing' || kind === 'settled';

/** Tells the status and the metrics, and keeps what plays on the disk. */
function reportFacts({ windows, clock, events, log }: Core, { media, reporting }: Decisions) {
  const screenshotFile = process.env.ENDCAP_SCREENSHOT;
  const report = reportPlayback({
    board: reporting.board,
    metrics: reporting.counting,
    clock,
    screenChanged: screenshotFile ? keepScreenshot(screenshotFile, windows.stage.screenshot, log) : () => {},
  });
  events.on('playback', report.tell);
  events.on('playback', keepMediaInUse(media));
  return report;
}

function createThePlayer(
  { windows, clock, schedule, newId, events, log }: Core,
  { decider, books, environment }: Decisions,
  { beacons }: Beacons,
  { online }: Answers,
  { programme, native }: SlotSources,
  isStoreOpen: (at: number) => boolean,
): Player {
  const player = createPlayer({
    sendToStage: windows.stage.command,
    ads: programme,
    nextChangeAt: decider.nextChangeAt,
    isOpen: isStoreOpen,
    records: books,
    tell: (fact) => events.emit('playback', fact),
    ...{ online, beacons, clock, schedule, newId, log, environment },
  });
  events.on('playback', (fact) => {
    if (fact.kind === 'held') native?.stageHeld(fact.reason !== null);
    if (fact.kind !== 'reserved') return;
    clock.playStored(fact.play.at);
    programme.committed(fact.facts);
  });
  events.on('adsChanged', player.changed);
  events.on('hold', player.hold);
  return player;
}

/** Hands over what the kiosk window tells, and blames creatives for what harms it (rule 11). */
function listenToStage(
  { windows, clock, events }: Core,
  { quarantine }: Decisions,
  { guests }: Beacons,
  { native, link }: SlotSources,
  player: Player,
): void {
  const { stage } = windows;
  const blame: Blame = createBlame({
    onStage: player.onStage,
    quarantine,
    endGuests: guests.endDrawn,
    endStrangers: () => [guests.endScripts(), link?.endSuspect() ?? false].includes(true),
    lastFrame: stage.lastHeartbeat,
    clock,
  });
  events.on('playback', blame.tell);
  events.on('guestHarmed', blame.guestHarmed);
  onLastWords(blame.mainEnds);
  stage.listen({
    onEvent: player.onStageEvent,
    onLost() {
      link?.close();
      player.onStageLost();
    },
    onGuest: guests.attached,
    onLink: (event) => link?.onEvent(event),
    onInput(type) {
      events.emit('input', type);
      link?.touched(type);
      native?.input(type);
    },
    onVisible: (visible) => player.hold('window-hidden', !visible),
    onDisplay: (isOn) => player.hold('display-off', !isOn),
    onHarm: blame.harmed,
    onDriverAtFault: quarantine.driverBlamed,
  });
}
