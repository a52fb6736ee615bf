import { type Clock, HOUR_MS, MINUTE_MS } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { limitedLog } from '../limited-log';
import type { LiveSettingsStore } from './live-settings';
import { DAY_MINUTES, minuteOfDay } from './open-hours';

/** Spreads the nightly restarts of a fleet, whose kiosks ask for token and playlist right after it, ms. */
const RESTART_SPREAD_MS = 10 * 60_000;
/** A restart that found no idle moment within this time waits for the next night, ms. */
const RESTART_WITHIN_MS = 2 * HOUR_MS;

/**
 * Returns a check that restarts the kiosk soon after `playback.restartAt`, or where that is null when its graphics
 * hardware may be tried again, once nobody uses it. Not while the settings cannot be used or the disk is full: the kiosk
 * would not play after a restart. Call it every few seconds.
 */
export function nightlyRestart(parts: {
  readonly live: LiveSettingsStore;
  /** The store's; null: the machine's own. */
  readonly timeZone: () => string | null;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly isIdle: () => boolean;
  /** Reads the settings. Why the next start could not use them; null: it could. */
  readonly whyUnusable: () => Promise<string | null>;
  /** See the function of this name. */
  readonly whyDiskFull: () => Promise<string | null>;
  /** Whether a restart would try the graphics hardware again, which crashed (rule 25). */
  readonly mayTryHardware: () => boolean;
  /** Whether remote settings are on trial: a run that ends then takes them back, however good they are. */
  readonly isOnTrial: () => boolean;
  readonly restart: () => void;
  readonly log: Log;
}): () => Promise<void> {
  const { live, clock, log } = parts;
  const startedAt = clock.monotonic();
  const lateMs = parts.random() * RESTART_SPREAD_MS;
  let isReading = false;
  // At most one line an hour: it is checked every few seconds.
  const waits = limitedLog(parts, 1);

  /** What restarts the kiosk now; null: nothing. */
  function whatRestarts(): string | null {
    const restartAt = live.getState()['playback.restartAt'];
    const upMs = clock.monotonic() - startedAt;
    const isNight =
      restartAt !== null && isRestartDue(restartAt, clock.now(), parts.timeZone(), upMs, lateMs);
    const isForHardware = restartAt === null && parts.mayTryHardware();
    if ((!isNight && !isForHardware) || !parts.isIdle() || parts.isOnTrial()) return null;
    return isForHardware ? 'a restart to try the graphics hardware' : 'the nightly restart';
  }

  return async () => {
    if (isReading || whatRestarts() === null) return;
    isReading = true;
    const problem = await parts
      .whyUnusable()
      .then((why) => why ?? parts.whyDiskFull())
      .finally(() => {
        isReading = false;
      });
    // Somebody may have touched it meanwhile.
    const what = whatRestarts();
    if (what === null) return;
    if (problem !== null) {
      waits.warn(`${what} waits, because the player could not start again`, { problem });
      return;
    }
    log.info(`${what} begins`);
    parts.restart();
  };
}

/**
 * Whether the restart of `playback.restartAt` is due `now` (ms since the epoch): its time of day has come since the
 * kiosk started, not more than two hours ago. Pure.
 *
 * @param restartAt minute of the day, 0 to 1439
 * @param timeZone of the store; null: the machine's own
 * @param upMs how long the kiosk has run
 * @param lateMs how much later this kiosk restarts
 */
export function isRestartDue(
  restartAt: number,
  now: number,
  timeZone: string | null,
  upMs: number,
  lateMs = 0,
): boolean {
  const at = now - lateMs;
  const minuteAt = (time: number) => minuteOfDay(timeZone, time);
  const wallMs = ((minuteAt(at) - restartAt + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS;
  // Where the clocks went back an hour (on Lord Howe Island half of one), the time has come twice, and the first one counts.
  const backMs = [HOUR_MS, HOUR_MS / 2].find((ms) => minuteAt(at - wallMs - ms) === restartAt) ?? 0;
  const sinceMs = wallMs + backMs;
  // The time on the wall has no seconds, so a kiosk that just restarted in this minute must not restart again.
  return sinceMs < RESTART_WITHIN_MS && upMs - lateMs >= sinceMs + MINUTE_MS;
}
