import type { Clock } from '../../shared/clock';
import type { ServiceFailure } from '../service/service-error';
import type { TokenNews } from '../service/token';
import type { Metrics } from './metrics';
import type { ServiceOperation } from './status';
import type { StatusBoard } from './status-board';

/** Carries the outcome of a call to the service to the status and the metrics. */
export function reportService({
  board,
  metrics,
}: {
  readonly board: StatusBoard;
  readonly metrics: Metrics;
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
