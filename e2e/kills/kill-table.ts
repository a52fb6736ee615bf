import type { KillReport } from './kill-run';

/** Everything that must be empty after a run. */
export function violationsOf(report: KillReport): string[] {
  const { capsExceeded, playsLost, countersWrong, sentTwice, confessed } = report;
  const unproven = report.impressions === 0 ? ['nothing was shown, so nothing is proved'] : [];
  return [...unproven, ...capsExceeded, ...playsLost, ...countersWrong, ...sentTwice, ...confessed];
}

export function killTable(report: KillReport): string {
  const { restartMs } = report;
  const percentile = (share: number) =>
    restartMs[Math.min(restartMs.length - 1, Math.floor(restartMs.length * share))];
  const rows: Array<readonly [string, number | string]> = [
    ['kills', `${report.kills} (${report.killsAtStart} while starting)`],
    ['plays', `${report.plays} (${report.unsettled} cut off by a kill)`],
    ['starts on a torn database log', report.tornLogs],
    ['impressions at the collector', report.impressions],
    ['of native ads', report.nativeImpressions],
    ['flights that reached a cap', report.capsReached],
    ['caps exceeded', report.capsExceeded.length],
    ['acknowledged plays lost', report.playsLost.length],
    ['counters that differ from the recount', report.countersWrong.length],
    ['once-only beacons sent twice', report.sentTwice.length],
    ['losses that the kiosk reported', report.confessed.length],
    ['restart to first frame, p50', `${percentile(0.5) ?? '–'} ms`],
    ['restart to first frame, p99', `${percentile(0.99) ?? '–'} ms`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
