import type { ServiceFailure } from '../service/service-error';
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
    const { code, message, advice, operation: failed } = answer.error;
    // A call that lacked a token failed at the token service: that is where to look.
    const where = failed === 'token' ? 'token' : operation;
    board.tell({ kind: 'service-failed', operation: where, problem: { code, message, advice } });
    if (where !== operation)
      board.tell({ kind: 'service-failed', operation, problem: { code, message, advice } });
    metrics.serviceFailed(where, code);
  };
}
