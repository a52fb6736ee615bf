import type { Beacon, BeaconProgress, BeaconState } from '../../shared/beacon';
import type { GuestOutcome } from './js-guests';

/** A result is certain only if the script ran, or never began. */
const STATES: Readonly<Record<GuestOutcome['result'], BeaconState>> = {
  ran: 'sent',
  threw: 'unknown',
  'timed-out': 'unknown',
  crashed: 'unknown',
  blocked: 'unknown',
  refused: 'refused',
};

/** The progress of a script beacon after its end. Pure. */
export function scriptEnded(
  beacon: Pick<Beacon, 'dueAt'>,
  { result, detail }: Pick<GuestOutcome, 'result' | 'detail'>,
  now: number,
): BeaconProgress {
  return {
    state: STATES[result],
    attempts: result === 'refused' ? 0 : 1,
    dueAt: beacon.dueAt,
    lastError: result === 'ran' ? null : result,
    finishedAt: now,
    script: { result, detail },
  };
}
