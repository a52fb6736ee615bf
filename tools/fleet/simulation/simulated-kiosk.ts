import { kioskSegments } from '../testing/kiosk';
import { rowOf, type SimplePlay } from '../testing/plays';
import { simulatedPlayer } from './simulated-player';

/** Faults inside a simulated kiosk. */
export type KioskFault =
  /** Ignores frequency caps. */
  | 'ignores-caps'
  /** Plays without network, and sends everything at the end. */
  | 'offline'
  /** Stops sending halfway through. */
  | 'silent';

export type SimulatedKiosk = ReturnType<typeof simulatedKiosk>;

/** A kiosk that plays without pauses, and makes its own segments. */
export function simulatedKiosk(number: number, from: number, random: () => number, fault: KioskFault | null) {
  const segments = kioskSegments();
  const { kiosk } = segments;
  const begin = from + Math.floor(random() * 10_000);
  const player = simulatedPlayer(number, begin, random, fault === 'ignores-caps');
  let seq = 0;
  let lastSent: SimplePlay | null = null;

  function row(of: SimplePlay, rev: number) {
    seq += 1;
    return rowOf(of, { kiosk, epoch: from, seq, rev });
  }

  return {
    segments,
    fault,
    /** Its own books: plays that count, by flight. */
    books: player.books,
    /** Plays until `until` (ms since the epoch), and makes a segment of it; null: nothing was played. */
    playUntil: (until: number) => {
      const rows = [];
      if (lastSent !== null) rows.push(row(lastSent, 1));
      lastSent = null;
      while (player.now() < until) {
        const played = player.play();
        rows.push(row(played, 0));
        lastSent = played;
      }
      return rows.length === 0 ? null : segments.cut(rows, until);
    },
  };
}
