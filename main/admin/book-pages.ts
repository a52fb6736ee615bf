import { addressesPlain, withoutSecrets } from '../status/shown-text';
import type { AdminCommands } from './answer-calls';
import type { RunningKiosk } from './running-kiosk';

/** Plays counted for one answer: about a second, after which the page asks again. */
const COUNTED_AT_ONCE = 20_000;

const STATES = {
  open: ['waiting', 'sending'],
  lost: ['refused', 'expired'],
  unknown: ['unknown'],
  sent: ['sent'],
} as const;

/** The overlay's pages of the books: totals, single plays and the outbox. */
export function bookPages(kiosk: Pick<RunningKiosk, 'records' | 'environment' | 'status'>) {
  const { records, environment, status } = kiosk;
  return {
    async report({ from, to }) {
      const { report, done } = await records.run('reportPlays', {
        environment,
        from,
        to,
        limit: COUNTED_AT_ONCE,
      });
      return report ? { state: 'ready', report } : { state: 'counting', done };
    },
    async plays({ period, before, limit }) {
      const { plays, next } = await records.run('provePlays', {
        environment,
        ...period,
        after: before,
        order: 'newest-first',
        limit,
      });
      const rows = plays.map(({ play, beacons, scripts = [] }) => ({
        ...play,
        beacons,
        scripts: scripts.map(({ result }) => result),
        guestErrors: play.guestErrors ?? [],
      }));
      return { rows, next };
    },
    async beacons({ show, limit }) {
      const rows = await records.run('listBeacons', { states: [...STATES[show]], limit });
      return {
        open: status().beacons.pending,
        rows: rows.map(({ script, ...beacon }) => ({
          ...beacon,
          // In the books the name of a click has an id, because each counts.
          event: beacon.event.replace(/^click-.*/, 'click'),
          url: script ? 'JavaScript' : withoutSecrets(beacon.url),
          lastError: script?.detail ? `${script.result}: ${addressesPlain(script.detail)}` : beacon.lastError,
        })),
      };
    },
  } satisfies Partial<AdminCommands>;
}
