import type { PlayRow } from '../../shared/admin';
import type { ProvenPlay } from '../../shared/proof-of-play';
import { cut, cutOrNull, withoutSecrets } from '../status/shown-text';
import type { AdminCommands } from './answer-calls';
import type { RunningKiosk } from './running-kiosk';

/** Plays read at once for a page of a flight's plays. */
const LOOKED_AT = 1_000;
const LOOKS = 5;
/** Plays counted for one answer: about a second, after which the page asks again. */
const COUNTED_AT_ONCE = 20_000;

const STATES = {
  open: ['waiting', 'sending'],
  lost: ['refused', 'expired'],
  unknown: ['unknown'],
  sent: ['sent'],
} as const;

/** The overlay's pages of the books: totals, single plays and the outbox. */
export function bookPages({
  records,
  environment,
  status,
}: Pick<RunningKiosk, 'records' | 'environment' | 'status'>): Pick<
  AdminCommands,
  'report' | 'plays' | 'beacons'
> {
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
    async plays({ period, flightId, before, limit }) {
      const rows: ProvenPlay[] = [];
      let after = before;
      for (let look = 0; look < LOOKS; look += 1) {
        const found = await records.run('provePlays', {
          environment,
          ...period,
          flightId,
          after,
          order: 'newest-first',
          limit: flightId === null ? limit : LOOKED_AT,
        });
        rows.push(...found.plays);
        after = found.next;
        if (after === null || rows.length >= limit) break;
      }
      const shown = rows.slice(0, limit);
      const last = shown.at(-1)?.play;
      const next = rows.length > limit && last ? { at: last.at, id: last.id } : after;
      return { rows: shown.map(playRow), next };
    },
    async beacons({ show, limit }) {
      const rows = await records.run('listBeacons', { states: [...STATES[show]], limit });
      return {
        counts: status().beacons,
        rows: rows.map(({ event, url, state, attempts, eventAt, dueAt, finishedAt, lastError, script }) => ({
          event: cut(event, 200),
          url: script ? 'JavaScript' : cut(withoutSecrets(url), 500),
          state,
          attempts,
          eventAt,
          dueAt,
          finishedAt,
          lastError: cutOrNull(script?.detail ? `${script.result}: ${script.detail}` : lastError, 200),
        })),
      };
    },
  };
}

function playRow({ play, beacons, scripts = [] }: ProvenPlay): PlayRow {
  return {
    id: cut(play.id, 200),
    at: play.at,
    adId: cut(play.adId, 200),
    flightId: cutOrNull(play.flightId, 200),
    campaignId: cutOrNull(play.campaignId, 200),
    sourceId: cutOrNull(play.sourceId, 200),
    delivery: play.delivery,
    outcome: play.outcome,
    viewedMs: play.viewedMs,
    endReason: cutOrNull(play.endReason, 200),
    beacons,
    scripts: scripts.map(({ result }) => result),
    guestErrors: play.guestErrors ?? [],
  };
}
