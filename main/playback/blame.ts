import type { Clock } from '../../shared/clock';
import type { Quarantine } from '../media/kept-quarantine';
import type { HarmCause } from '../media/quarantine';
import type { Player, PlayerFact } from './player';
import { suspects } from './suspects';

export interface BlameParts {
  readonly onStage: Player['onStage'];
  readonly quarantine: Pick<Quarantine, 'strike' | 'strikeNow' | 'shownWhole'>;
  /** Takes the pages and banners at these addresses off the stage. */
  readonly endGuests: (urls: readonly string[], detail: string) => void;
  /** When frames last advanced, monotonic ms; null: never yet. */
  readonly lastFrame: () => number | null;
  readonly clock: Clock;
}

/** Puts what harms the kiosk down to the creatives that were drawn (rule 11). */
export interface Blame {
  /**
   * The kiosk window hangs or died, or the graphics process died. A page or a banner that is suspect goes before
   * anything else does. Answers whether anything but a creative may be at fault: nothing was drawn, or
   * only files of ours to draw without a strike so far.
   */
  harmed(cause: HarmCause): boolean;
  /** The guest at this address hangs or died. */
  guestHarmed(url: string, cause: HarmCause): void;
  /** Main ends because of an unexpected error. */
  mainEnds(): void;
  tell(fact: PlayerFact): void;
}

export function createBlame({ onStage, quarantine, endGuests, lastFrame, clock }: BlameParts): Blame {
  const found = () => {
    const last = lastFrame();
    return suspects(onStage(), last === null ? clock.now() : clock.now() - (clock.monotonic() - last));
  };
  return {
    harmed(cause) {
      const files = found();
      if (files.length === 0) return true;
      const isFirst = quarantine.strike(files, cause);
      const guests = files.flatMap(({ guest }) => guest ?? []);
      endGuests(guests, `it was ended (${cause})`);
      return isFirst && guests.length === 0;
    },
    guestHarmed(url, cause) {
      const { front, back } = onStage();
      const files = [...(front?.files ?? []), ...(back?.files ?? [])].filter(({ guest }) => guest === url);
      if (files.length > 0) quarantine.strike(files, cause);
    },
    mainEnds: () => quarantine.strikeNow(found(), 'main'),
    tell(fact) {
      if (fact.kind === 'settled' && fact.play.outcome === 'completed') quarantine.shownWhole(fact.drawn);
    },
  };
}
