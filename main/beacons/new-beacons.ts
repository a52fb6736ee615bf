import { type Beacon, type BeaconPolicy, beaconBytes } from '../../shared/beacon';
import { MAX_URL_LENGTH, type UrlOrScript } from './beacon-budget';
import { retentionMs } from './delivery-policy';
import { type BeaconEvent, beaconUrls } from './macros';

/** What an ad asks for, with its place in the ad's list. */
export type AskedBeacon = { readonly position: number } & UrlOrScript;

/**
 * Most beacons and bytes that are created and stored at once, because they block main, and a reservation may
 * have to wait for the transaction.
 */
const STORED_AT_ONCE = 500;
const STORED_BYTES_AT_ONCE = 524_288;
/** By how much macros may lengthen the URLs that are stored at once, all together, UTF-16 code units. */
const MAX_GROWTH = STORED_BYTES_AT_ONCE;

/** Some of the beacons of an event, and their bytes in the books. */
export interface AskedPart<Asked> {
  readonly asked: readonly Asked[];
  readonly bytes: number;
}

/** Splits a list into parts that each fit into one command, in order; an empty list gives one part. Pure. */
export function splitAsked<Asked extends UrlOrScript>(asked: readonly Asked[]): Array<AskedPart<Asked>> {
  const parts: Array<AskedPart<Asked>> = [];
  let part: { asked: Asked[]; bytes: number } = { asked: [], bytes: 0 };
  for (const each of asked) {
    const bytes = beaconBytes('url' in each ? each.url : '');
    const isFull = part.asked.length === STORED_AT_ONCE || part.bytes + bytes > STORED_BYTES_AT_ONCE;
    if (isFull) {
      parts.push(part);
      part = { asked: [], bytes: 0 };
    }
    part.asked.push(each);
    part.bytes += bytes;
  }
  return [...parts, part];
}

/** The event that beacons report, and how they are delivered. */
export interface BeaconOccasion {
  readonly environment: string;
  readonly policy: BeaconPolicy;
  readonly event: string;
  readonly moment: BeaconEvent;
  /** Name of the event-time parameter to append; null: none. */
  readonly eventTimeParam: string | null;
  readonly playId: string | null;
  readonly instance: string | null;
  /** Of a confirmation only: this run of the kiosk. */
  readonly run?: string;
}

/**
 * The beacons of one event, one for each URL or script, duplicates included. All values that depend on the event are
 * fixed here (rules 15 and 16). A URL that its macros would make too long keeps them unfilled. A script is stored as
 * `sending` before it runs, so that a crash cannot lead to a second run (rule 17). Pure.
 */
export function newBeacons(
  asked: readonly AskedBeacon[],
  occasion: BeaconOccasion,
  newId: () => string,
): Beacon[] {
  const { moment, eventTimeParam, ...of } = occasion;
  const resolved = beaconUrls(moment, eventTimeParam);
  let growth = 0;
  const urlOf = (url: string): string => {
    const filled = resolved(url, Math.min(MAX_URL_LENGTH, url.length + MAX_GROWTH - growth));
    growth += filled.length - url.length;
    return filled;
  };
  return asked.map((each) => {
    const url = 'url' in each ? urlOf(each.url) : '';
    return {
      ...of,
      id: newId(),
      url,
      host: hostOf(url),
      eventAt: moment.at,
      expiresAt: moment.at + retentionMs(of.policy),
      position: each.position,
      state: 'url' in each ? 'waiting' : 'sending',
      attempts: 0,
      dueAt: moment.at,
      lastError: null,
      finishedAt: null,
      ...('url' in each ? {} : { script: { result: 'running', detail: null } }),
    };
  });
}

/** Text that is no URL becomes a beacon too: the egress policy rejects it, and so the play's results show it. */
function hostOf(url: string): string {
  const origin = URL.parse(url)?.origin ?? 'null';
  return origin === 'null' ? '' : origin;
}
