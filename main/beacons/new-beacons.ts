import type { Beacon, BeaconPolicy } from '../../shared/beacon';
import type { UrlOrScript } from './beacon-budget';
import { retentionMs } from './delivery-policy';
import { type BeaconEvent, resolveBeaconUrl } from './macros';

/** What an ad asks for, with its place in the ad's list. */
export type AskedBeacon = { readonly position: number } & UrlOrScript;

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
}

/**
 * The beacons of one event, one for each URL or script, duplicates included. All values that depend on the event are
 * fixed here (rules 15 and 16). A script is stored as `sending` before it runs, so that a crash cannot lead to a second
 * run (rule 17). Pure.
 */
export function newBeacons(
  asked: readonly AskedBeacon[],
  occasion: BeaconOccasion,
  newId: () => string,
): Beacon[] {
  const { environment, policy, event, moment, eventTimeParam, playId, instance } = occasion;
  return asked.map((each) => {
    const url = 'url' in each ? resolveBeaconUrl(each.url, moment, eventTimeParam) : '';
    return {
      id: newId(),
      environment,
      policy,
      url,
      host: hostOf(url),
      event,
      eventAt: moment.at,
      expiresAt: moment.at + retentionMs(policy),
      playId,
      instance,
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
