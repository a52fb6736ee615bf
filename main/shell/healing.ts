import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { allWell, noVitalSigns, observeVitals, type Vital, type VitalEvent } from './vital-signs';

const LOOK_MS = 1_000;
/** Whoever stays silent after so many helps in a row is beyond help from inside. */
const MOST_HELPS = 4;

export interface Healing {
  started(vital: Vital): void;
  heard(vital: Vital): void;
  excused(vital: Vital): void;
  /** The machine woke up. */
  woke(): void;
  /** Whether everybody expected was heard of in time. */
  isWell(): boolean;
}

/**
 * Looks after what lives but does nothing any more: a page that hangs, pictures
 * that do not reach the display, records that do not answer (rule 25). What died
 * outright is brought back by whoever keeps it.
 *
 * @param parts.help brings a silent one round; `attempt` counts from 1
 * @param parts.giveUp ends the process for the service manager to start it over
 */
export function keepWell(parts: {
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly help: Readonly<Record<Vital, (attempt: number) => void>>;
  readonly isEnding: () => boolean;
  readonly giveUp: () => void;
}): Healing {
  const { clock, schedule, log } = parts;
  let vitals = noVitalSigns;

  function take(event: VitalEvent): void {
    const step = observeVitals(vitals, event, clock.monotonic());
    vitals = step.vitals;
    for (const { vital, attempt } of step.help) {
      if (parts.isEnding()) return;
      log.error('nothing was heard for too long', { of: vital, attempt });
      if (attempt > MOST_HELPS) parts.giveUp();
      else parts.help[vital](attempt);
    }
  }

  function look(): void {
    take({ type: 'look' });
    schedule(LOOK_MS, look);
  }
  schedule(LOOK_MS, look);

  return {
    started: (vital) => take({ type: 'started', vital }),
    heard: (vital) => take({ type: 'heard', vital }),
    excused: (vital) => take({ type: 'excused', vital }),
    woke: () => take({ type: 'woke' }),
    isWell: () => allWell(vitals, clock.monotonic()),
  };
}
