import { figures } from '../tables';
import type { ChaosReport } from './chaos-run';

export function chaosTable({ disturbances, ...report }: ChaosReport): string {
  return figures([
    ['kiosks killed', disturbances.kiosk],
    ['networks cut', disturbances.network],
    ['replicas killed', disturbances.replica],
    ['shards killed, all replicas', disturbances.shard],
    ['of all these in a request', report.inRequest],
    ['answers that no kiosk got', report.lostAnswers],
    ['plays', `${report.plays} (${report.unknown} cut off by a kill)`],
    ['segments', report.segments],
    ['rows of a later revision', report.revisions],
    ['rows stored more than once', report.repeatedRows],
    ['all shipped after the last one', `${(report.healedMs / 1_000).toFixed(0)} s`],
    ['violations', report.violations.length],
  ]);
}
