import type { Clock } from '../shared/clock';
import type { Log } from '../shared/log';
import { tokenBucket } from './token-bucket';

/**
 * A log that takes at most `lines` of one event at once and an hour, and leaves out the others: what fails again and
 * again for months would push everything else out of the log. Events are a few fixed texts.
 */
export function limitedLog(
  { log, clock }: { readonly log: Log; readonly clock: Pick<Clock, 'monotonic'> },
  lines = 20,
): Log {
  const buckets = new Map<string, ReturnType<typeof tokenBucket>>();
  const limited =
    (level: keyof Log): Log[keyof Log] =>
    (event, details) => {
      const bucket = buckets.get(event) ?? tokenBucket({ burst: lines, perSecond: lines / 3_600 });
      buckets.set(event, bucket);
      if (bucket(clock.monotonic()) === 0) log[level](event, details);
    };
  return { debug: limited('debug'), info: limited('info'), warn: limited('warn'), error: limited('error') };
}
