import { beaconBytes } from '../../shared/beacon';
import type { UrlOrScript } from './beacon-budget';
import type { BeaconOccasion } from './new-beacons';

/** URLs of one event, or a part of them, that are stored and sent together. */
export interface Firing {
  readonly play: string | null;
  readonly occasion: BeaconOccasion;
  readonly asked: ReadonlyArray<{ readonly position: number; readonly url: string }>;
  readonly bytes: number;
}

/**
 * Most beacons and bytes that are created and stored at once, because they block main, and a reservation may
 * have to wait for the transaction.
 */
const STORED_AT_ONCE = 500;
const STORED_BYTES_AT_ONCE = 524_288;

/** Splits a list into parts that each fit into one command, in order; an empty list gives one part. Pure. */
export function splitAsked<Asked extends UrlOrScript>(
  asked: readonly Asked[],
): ReadonlyArray<{ readonly asked: readonly Asked[]; readonly bytes: number }> {
  const parts: Array<{ asked: Asked[]; bytes: number }> = [];
  let part: { asked: Asked[]; bytes: number } = { asked: [], bytes: 0 };
  for (const each of asked) {
    const bytes = beaconBytes('url' in each ? each.url : '');
    if (part.asked.length > 0 && isTooMuch(part.asked.length + 1, part.bytes + bytes)) {
      parts.push(part);
      part = { asked: [], bytes: 0 };
    }
    part.asked.push(each);
    part.bytes += bytes;
  }
  parts.push(part);
  return parts;
}

/** How many beacons firings have, and their bytes. Pure. */
export function sizeOf(firings: readonly Firing[]): { readonly beacons: number; readonly bytes: number } {
  return firings.reduce(
    (sum, { asked, bytes }) => ({ beacons: sum.beacons + asked.length, bytes: sum.bytes + bytes }),
    { beacons: 0, bytes: 0 },
  );
}

/** How many of the first firings fit into one command; at least one. Pure. */
export function storedTogether(firings: readonly Firing[]): number {
  let beacons = 0;
  let bytes = 0;
  for (const [index, firing] of firings.entries()) {
    beacons += firing.asked.length;
    bytes += firing.bytes;
    if (index > 0 && isTooMuch(beacons, bytes)) return index;
  }
  return firings.length;
}

function isTooMuch(beacons: number, bytes: number): boolean {
  return beacons > STORED_AT_ONCE || bytes > STORED_BYTES_AT_ONCE;
}
