import fc from 'fast-check';
import type { SendResult } from '../delivery-policy';
import { accepted, answered } from './outbox-world';

/** All kinds of results of a try. */
export const anySendResult: fc.Arbitrary<SendResult> = fc.constantFrom<SendResult>(
  accepted,
  { kind: 'not-sent', code: 'connection' },
  { kind: 'not-sent', code: 'name' },
  { kind: 'unknown', code: 'timeout' },
  { kind: 'unknown', code: 'answer' },
  { kind: 'forbidden', code: 'fenced' },
  answered(503),
  answered(511),
  answered(429, 30_000),
  answered(500),
  answered(404),
  { ...answered(503), redirected: true } as SendResult,
);

/** Rules 15 and 16 in plain form: whether a repetition after this result might be counted twice. */
export function mayHaveCounted(sent: SendResult): boolean {
  if (sent.kind === 'not-sent' || sent.kind === 'forbidden') return false;
  return !(sent.kind === 'answered' && !sent.redirected && [429, 503, 511].includes(sent.status));
}
