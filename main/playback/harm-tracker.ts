import type { Clock } from '../../shared/clock';
import type { MediaCache } from '../media/media-cache';
import type { DrawnFile, HarmCause } from '../media/quarantine';
import type { Quarantine } from '../media/quarantine-store';
import type { Player } from './player';
import type { PlayerFact } from './player-fact';
import { suspects } from './suspects';

export interface HarmTrackerParts {
  readonly drawnOnStage: Player['drawnOnStage'];
  readonly quarantine: Pick<Quarantine, 'strike' | 'shownWhole'>;
  readonly media: Pick<MediaCache, 'shownWhole'>;
  /** Takes the pages and banners at these addresses off the stage. */
  readonly endGuests: (urls: readonly string[], detail: string) => void;
  /** Closes scripts and link pages that run beside the stage; returns whether there were any. */
  readonly endScriptsAndLink: () => boolean;
  /** Whether the guest at this address is not loaded yet, so that it can have done no harm. */
  readonly isWaiting: (url: string) => boolean;
  /** When frames last advanced, monotonic ms; null: never yet. */
  readonly lastFrame: () => number | null;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Records strikes against the creatives that were drawn when the kiosk was harmed (rule 11). */
export function createHarmTracker(parts: HarmTrackerParts) {
  const { drawnOnStage, quarantine, media, clock } = parts;
  /** Guests that already got a strike; the stage removes them at its next frame. */
  const gone = new Set<string>();
  const isThere = ({ guest }: DrawnFile) => guest === null || !(gone.has(guest) || parts.isWaiting(guest));
  const found = (cause: HarmCause) => {
    const { front, back } = drawnOnStage();
    const stage = {
      front: front && { ...front, files: front.files.filter(isThere) },
      // What still waits for its guest is not being decoded.
      back: back && {
        files: back.files.filter(isThere),
        isReady: back.isReady || !back.files.every(isThere),
      },
    };
    return suspects(stage, parts.lastFrame() ?? clock.monotonic(), cause);
  };
  const strike = (files: readonly DrawnFile[], cause: HarmCause): boolean => {
    for (const { guest } of files) if (guest !== null) gone.add(guest);
    return quarantine.strike(files, cause);
  };
  return {
    /**
     * The kiosk window hangs or died, or the graphics process died. Suspects, in this order: pages and banners that
     * are drawn; scripts and link pages, if the graphics process was harmed (they are closed, without a strike);
     * drawn pictures and videos. Returns whether something other than a creative may be the cause: nothing was drawn,
     * or only pictures and videos, one of which at least had no strike before.
     *
     * @param isAgain it died so soon after the last time that hardly anything was drawn: only guests are suspect
     */
    harmed(cause: HarmCause, isAgain: boolean): boolean {
      const files = found(cause);
      const guests = files.flatMap(({ guest }) => guest ?? []);
      // Scripts and link pages run in other processes and cannot harm the window's own.
      if (cause !== 'kiosk-window' && guests.length === 0 && !isAgain && parts.endScriptsAndLink())
        return false;
      if (files.length === 0 || (isAgain && guests.length === 0)) return true;
      const isFirst = strike(files, cause);
      parts.endGuests(guests, `it was ended (${cause})`);
      return isFirst && guests.length === 0;
    },
    /** The guest at this address hangs or died. */
    guestHarmed(url: string, cause: HarmCause): void {
      const { front, back } = drawnOnStage();
      const drawn = [...(front?.files ?? []), ...(back?.files ?? [])];
      const files = drawn.filter((file) => file.guest === url && isThere(file));
      if (files.length > 0) strike(files, cause);
    },
    /** Main ends because of an unexpected error. */
    mainEnds: (): void => void quarantine.strike(found('main'), 'main'),
    tell(fact: PlayerFact): void {
      if (fact.kind !== 'settled') return;
      for (const { guest } of fact.drawn) if (guest !== null) gone.delete(guest);
      if (fact.play.outcome !== 'completed') return;
      quarantine.shownWhole(fact.drawn);
      media.shownWhole(fact.drawn);
    },
  };
}
