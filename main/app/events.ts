import type { HarmCause } from '../media/quarantine';
import type { PlayerFact } from '../playback/player';
import { createEmitter, type Emitter } from './emitter';

/** All that a part of the application tells parts that are built after it. */
export interface AppEvents {
  /** Another records window took over from one that died. */
  recordsBack: [];
  /** What may play changed: the playlist, an online answer, native ads, house creatives, their files, the display. */
  adsChanged: [];
  /** A reason for which nothing may be reserved came or went (rule 14). */
  hold: [reason: string, holds: boolean];
  /** The page that a tap led to is open; it was closed, by the shopper's way back or without a touch. */
  linkOpened: [];
  linkClosed: [wayBack: boolean];
  /** A page or a banner hung or died, and main did not end it (rule 11). */
  guestHarmed: [url: string, cause: Extract<HarmCause, 'hang' | 'guest'>];
  /** What the player did. */
  playback: [fact: PlayerFact];
  /** An input event on the kiosk window. */
  input: [type: string];
}

export type AppEmitter = Emitter<AppEvents>;

export const createEvents = (): AppEmitter => createEmitter<AppEvents>();
