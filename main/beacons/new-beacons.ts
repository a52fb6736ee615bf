import type { Beacon, BeaconPolicy } from '../../shared/beacon';
import { retentionMs } from './delivery-policy';
import { type BeaconEvent, resolveBeaconUrl } from './macros';

/** What asks for beacons, and on which terms they are delivered. */
export interface BeaconOccasion {
  readonly environment: string;
  readonly policy: BeaconPolicy;
  readonly event: string;
  readonly moment: BeaconEvent;
  /** Name of the event-time parameter to append, or null. */
  readonly eventTimeParam: string | null;
  readonly playId: string | null;
  readonly instance: string | null;
}

/**
 * The beacons of one event, one for each URL of the list, duplicates too, with
 * everything fixed that is fixed at the event (rules 15 and 16). Pure.
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

/** Text without an origin is kept as a beacon too: the egress policy refuses it, and its play's results say so. */
function hostOf(url: string): string {
  const origin = URL.parse(url)?.origin ?? 'null';
  return origin === 'null' ? '' : origin;
}
