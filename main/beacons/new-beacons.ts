import type { Beacon, BeaconPolicy } from '../../shared/beacon';
import { retentionMs } from './delivery-policy';
import { type BeaconEvent, resolveBeaconUrl } from './macros';

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
 * The beacons of one event, one for each URL, duplicates included. All values that depend on the event are
 * fixed here (rules 15 and 16). Pure.
 */
export function newBeacons(
  urls: ReadonlyArray<{ readonly position: number; readonly url: string }>,
  occasion: BeaconOccasion,
  newId: () => string,
): Beacon[] {
  const { environment, policy, event, moment, eventTimeParam, playId, instance } = occasion;
  return urls.map(({ position, url }) => {
    const resolved = resolveBeaconUrl(url, moment, eventTimeParam);
    return {
      id: newId(),
      environment,
      policy,
      url: resolved,
      host: hostOf(resolved),
      event,
      eventAt: moment.at,
      expiresAt: moment.at + retentionMs(policy),
      playId,
      instance,
      position,
      state: 'waiting',
      attempts: 0,
      dueAt: moment.at,
      lastError: null,
      finishedAt: null,
    };
  });
}

/** Text that is no URL becomes a beacon too: the egress policy rejects it, and so the play's results show it. */
function hostOf(url: string): string {
  const origin = URL.parse(url)?.origin ?? 'null';
  return origin === 'null' ? '' : origin;
}
