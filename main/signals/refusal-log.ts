import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RefusalCode } from './answers';

const REFUSAL_LOG_MS = 60_000;

/** Logs each kind of refusal at most once a minute, with how many there were: a flood of requests is no flood of lines. */
export function createRefusalLog(
  clock: Pick<Clock, 'monotonic'>,
  log: Log,
): (route: string, code: RefusalCode) => void {
  const unsaid = new Map<RefusalCode, { count: number; saidAt: number }>();
  return (route, code) => {
    const now = clock.monotonic();
    const entry = unsaid.get(code) ?? { count: 0, saidAt: Number.NEGATIVE_INFINITY };
    entry.count += 1;
    unsaid.set(code, entry);
    if (now - entry.saidAt < REFUSAL_LOG_MS) return;
    log.warn('the signals API refused requests', { route, code, count: entry.count });
    entry.count = 0;
    entry.saidAt = now;
  };
}
