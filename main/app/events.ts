import type { EventEmitter } from 'node:events';
import type { Ad } from '../../shared/ad';
import type { LinkFrame } from '../../shared/link';
import type { StageCommand, StageEvent } from '../../shared/stage';
import type { HarmCause } from '../media/quarantine';
import type { PlayerFact } from '../playback/player-fact';

/** Events for parts that are created later than their source. */
export interface AppEvents {
  /** Another records window took over from one that died. */
  recordsBack: [];
  /** What may play changed: the playlist, an online answer, native ads, house creatives, their files, the display. */
  adsChanged: [];
  /** The screen has another size: other files of the ads may be best for it. `adsChanged` follows. */
  screenResized: [];
  /** No file of these ads can be used; with the VAST error code of the file that failed last. */
  filesUnusable: [ads: readonly Ad[], errorCode: number];
  /** Waiting beacons may be sent: they are this machine's own, or nobody can tell whose they are. May come again. */
  ownBeaconsKnown: [];
  /** The blocks have changed (rule 30). `atOnce`: a blocked ad on the screen is taken down at once. */
  blocksChanged: [atOnce: boolean];
  /** Remote settings came, succeeded in their trial, or were taken back. */
  remoteSettingsChanged: [];
  /** A reason to reserve nothing began or ended (rule 14). */
  hold: [reason: string, holds: boolean];
  /** Messages to and from the stage, and the frame of the link view; emitted before they are handled. */
  stageCommand: [command: StageCommand];
  stageEvent: [event: StageEvent];
  linkShown: [frame: LinkFrame | null];
  /** The graphics process died too often by itself: what it drew is not to blame. */
  driverBlamed: [];
  /** A page or a banner hung or died, and main did not close it (rule 11). */
  guestHarmed: [url: string, cause: Extract<HarmCause, 'hang' | 'guest'>];
  /** An export of plays began or ended. */
  exporting: [isRunning: boolean];
  playback: [fact: PlayerFact];
  /** An input event on the kiosk window, or on a page of the link view. */
  input: [type: string];
}

export type AppEmitter = EventEmitter<AppEvents>;

/** Inputs that show that a person is there. From some frames main gets only the tap. */
const PRESSES = new Set([
  ...['mouseDown', 'mouseWheel', 'touchStart', 'gestureTapDown', 'gestureTap'],
  ...['rawKeyDown', 'keyDown'],
]);

/** Calls `listener` at every press; not at mouse moves, which a vibration can cause. */
export function onPress(events: AppEmitter, listener: () => void): void {
  events.on('input', (type) => {
    if (PRESSES.has(type)) listener();
  });
}

/** Resolves at the player's next fact that `matches`. */
export const firstPlayback = (events: AppEmitter, matches: (fact: PlayerFact) => boolean): Promise<void> =>
  new Promise((resolve) =>
    events.on('playback', (fact) => {
      if (matches(fact)) resolve();
    }),
  );
