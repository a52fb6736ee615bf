import { percentile } from '../bench/statistics';
import { figures } from '../tables';
import type { KillReport } from './kill-run';

/** Everything that must be empty after a run. */
export function violationsOf({ found, impressions }: KillReport): string[] {
  const unproven = impressions === 0 ? ['nothing was shown, so nothing is proved'] : [];
  return [...unproven, ...Object.values(found).flatMap((words) => [...words])];
}

export function killTable(report: KillReport): string {
  const { found, restartMs } = report;
  const restart = (share: number) => (restartMs.length === 0 ? '–' : percentile(restartMs, share));
  return figures([
    ['kills', `${report.kills} (${report.killsAtStart} while starting)`],
    ['plays', `${report.plays} (${report.unsettled} cut off by a kill)`],
    ['starts on a torn database log', report.tornLogs],
    ['impressions at the collector', report.impressions],
    ['of native ads', report.nativeImpressions],
    ['flights that reached a cap', report.capsReached],
    ['caps exceeded', found.capsExceeded.size],
    ['acknowledged plays lost', found.playsLost.size],
    ['counters that differ from the recount', found.countersWrong.size],
    ['once-only beacons sent twice', found.sentTwice.size],
    ['losses that the kiosk reported', found.confessed.size],
    ['restart to first frame, p50', `${restart(0.5)} ms`],
    ['restart to first frame, p99', `${restart(0.99)} ms`],
  ]);
}
