import type { EventEmitter } from 'node:events';
import type { LinkFrame } from '../../shared/link';
import type { StageCommand, StageEvent } from '../../shared/stage';
import type { HarmCause } from '../media/quarantine';
import type { PlayerFact } from '../playback/player';

/** What parts of the application tell parts that are built later. */
export interface AppEvents {
  /** Another records window took over from one that died. */
  recordsBack: [];
  /** What may play changed: the playlist, an online answer, native ads, house creatives, their files, the display. */
  adsChanged: [];
  /** What the fleet's operator blocks changed (rule 30). `atOnce`: what is on the screen now goes, too. */
  blocksChanged: [atOnce: boolean];
  /** Settings of the fleet's operator came, proved themselves, or were taken back. */
  remoteSettingsChanged: [];
  /** A reason to reserve nothing began or ended (rule 14). */
  hold: [reason: string, holds: boolean];
  /** The page that a tap led to is open; it was closed, by the shopper's way back or without a touch. */
  linkOpened: [];
  linkClosed: [wayBack: boolean];
  /** What went to the stage and came back, and what lies over it, each before anybody acts on it. */
  stageCommand: [command: StageCommand];
  stageEvent: [event: StageEvent];
  linkShown: [frame: LinkFrame | null];
  /** The graphics process died too often by itself: what it drew is not to blame. */
  driverAtFault: [];
  /** A page or a banner hung or died, and main did not end it (rule 11). */
  guestHarmed: [url: string, cause: Extract<HarmCause, 'hang' | 'guest'>];
  /** What the player did. */
  playback: [fact: PlayerFact];
  /** An input event on the kiosk window, or on a page of the link view. */
  input: [type: string];
}

export type AppEmitter = EventEmitter<AppEvents>;

/** Resolves once the player has done something from now on that `matches`. */
export const firstPlayback = (events: AppEmitter, matches: (fact: PlayerFact) => boolean): Promise<void> =>
  new Promise((resolve) =>
    events.on('playback', (fact) => {
      if (matches(fact)) resolve();
    }),
  );
