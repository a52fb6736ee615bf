import type { Clock } from '../../shared/clock';
import type { SendBeacon } from '../beacons/beacon-sender';
import type { SendResult } from '../beacons/delivery-policy';
import type { ServiceFailure } from '../service/service-error';
import type { TokenNews } from '../service/token';
import type { Counting } from './metric-list';
import type { ServiceOperation } from './status';
import type { StatusBoard } from './status-board';

/** Carries the outcome of a call to the service to the status and the metrics. */
export function reportService({
  board,
  metrics,
}: {
  readonly board: StatusBoard;
  readonly metrics: Pick<Counting, 'serviceFailed'>;
}) {
  return (operation: ServiceOperation, answer: { readonly kind: string } | ServiceFailure): void => {
    if (!('error' in answer)) {
      board.tell({ kind: 'service-succeeded', operation });
      return;
    }
    const { code, message, advice } = answer.error;
    board.tell({ kind: 'service-failed', operation, problem: { code, message, advice } });
    metrics.serviceFailed(operation, code);
  };
}

/** Carries what becomes of the access token to the status. */
export function reportToken({
  board,
  clock,
  tellService,
}: {
  readonly board: StatusBoard;
  readonly clock: Clock;
  readonly tellService: ReturnType<typeof reportService>;
}) {
  return (news: TokenNews): void => {
    if (news.kind === 'lost') {
      board.tell({ kind: 'token-lost' });
      return;
    }
    tellService('token', news);
    if (news.kind === 'obtained')
      board.tell({ kind: 'token-received', expiresAt: clock.now() + news.lifetimeMs });
  };
}

/** Carries what came of each beacon to the status and the metrics. Hosts of many parties: what is told is how the last one answered. */
export function reportSends(
  send: SendBeacon,
  {
    board,
    metrics,
  }: { readonly board: Pick<StatusBoard, 'tell'>; readonly metrics: Pick<Counting, 'serviceFailed'> },
): SendBeacon {
  return async (url) => {
    const result = await send(url);
    const code = whyNotTaken(result);
    if (code === null) {
      board.tell({ kind: 'service-succeeded', operation: 'beacons' });
      return result;
    }
    const host = URL.parse(url)?.host ?? 'an address that is none';
    const message = `${host} did not take a beacon: ${code}.`;
    const advice = 'What may be repeated is, by itself. If it lasts, ask the party the host belongs to.';
    board.tell({ kind: 'service-failed', operation: 'beacons', problem: { code, message, advice } });
    metrics.serviceFailed('beacons', code);
    return result;
  };
}

function whyNotTaken(result: SendResult): string | null {
  if (result.kind !== 'answered') return result.code;
  return result.status >= 200 && result.status < 300 ? null : `status-${result.status}`;
}
