import { expect, it } from 'vitest';
import type { ProofPosition } from '../../shared/proof-sequence';
import type { Fact } from '../status/facts';
import { exampleStatus } from '../status/testing/example-status';
import { reportProof } from './report-proof';

const DAY = 86_400_000;
const SETTLED = Date.UTC(2026, 10, 20, 9);
const START = { epoch: 1, seq: 0 };
const WAITING: ProofPosition = {
  cursor: START,
  readFrom: START,
  heads: [],
  waiting: 1,
  oldestSettledAt: SETTLED,
  setAside: [],
  dropped: [],
  pending: null,
};

const ERROR = { code: 'timeout', message: 'No answer.', advice: 'Wait.', at: SETTLED + 2 * DAY };

/** The problems that are reported of a position, at a time after its plays were settled (ms). */
function problemsOf(
  position: ProofPosition,
  afterMs: number,
  everyMs = 300_000,
  { runsForMs = afterMs, lastError = null }: { runsForMs?: number; lastError?: typeof ERROR | null } = {},
) {
  const facts: Fact[] = [];
  let monotonic = 5 * DAY;
  const clock = { now: () => SETTLED + afterMs, monotonic: () => monotonic };
  const report = reportProof((fact) => void facts.push(fact), clock, everyMs);
  monotonic += runsForMs;
  report({ position, lastSentAt: null, lastError });
  return exampleStatus(0, facts).attention;
}

it.each([
  ['five minutes', 300_000, DAY + 300_000],
  ['a day', DAY, 2 * DAY],
])('plays that wait a day longer than the period of %s are a problem', (_period, everyMs, longestMs) => {
  const problemAfter = (ms: number) => problemsOf(WAITING, ms, everyMs).map(({ code }) => code);
  expect(problemAfter(longestMs)).toEqual([]);
  expect(problemAfter(longestMs + 1)).toEqual(['proof-waiting']);
});

it('plays of before a kiosk was off are a problem once they could not be sent, or their turn is over', () => {
  const problemAfter = (runsForMs: number, lastError: typeof ERROR | null = null) =>
    problemsOf(WAITING, 2 * DAY, 300_000, { runsForMs, lastError }).map(({ code }) => code);
  expect(problemAfter(300_000)).toEqual([]);
  expect(problemAfter(300_001)).toEqual(['proof-waiting']);
  expect(problemAfter(0, ERROR)).toEqual(['proof-waiting']);
  expect(problemsOf(WAITING, 2 * DAY, 300_000, { runsForMs: 0, lastError: ERROR })).toMatchObject([
    { message: expect.stringContaining(ERROR.message), advice: ERROR.advice },
  ]);
});

it('plays that were deleted unsent are a problem with their number, until the receiver has what comes after them', () => {
  const dropped = [
    { epoch: 1, first: 3, last: 4 },
    { epoch: 1, first: 11, last: 20 },
    { epoch: 2, first: 1, last: 5 },
  ];
  const problemAt = (epoch: number, seq: number) =>
    problemsOf({ ...WAITING, cursor: { epoch, seq }, dropped }, 0).map(({ code, message }) => [
      code,
      message,
    ]);
  expect(problemAt(1, 10)).toEqual([['proof-dropped', expect.stringContaining(' 15 ')]]);
  expect(problemAt(2, 0)).toEqual([['proof-dropped', expect.stringContaining(' 5 ')]]);
  expect(problemAt(2, 6)).toEqual([]);
});

it('segments that are set aside are a problem, which names the last one and what the receiver answered, or that it cannot be read', () => {
  const aside = (first: number, status: number) => ({
    ...{ epoch: 1, first, last: first + 4, count: 5, digest: 'a'.repeat(64), madeAt: 0 },
    ...{ since: 0, triedAt: 0, status },
  });
  const setAside = [aside(1, 413), aside(6, 422)];
  const problems = problemsOf({ ...WAITING, waiting: 0, oldestSettledAt: null, setAside }, 0);
  const message = expect.stringMatching(/ 2 segment.* refuses .* 1\/6-10, with 422/);
  expect(problems).toMatchObject([{ code: 'proof-set-aside', message }]);
  const unreadable = problemsOf(
    { ...WAITING, waiting: 0, oldestSettledAt: null, setAside: [aside(1, 0)] },
    0,
  );
  expect(unreadable).toMatchObject([
    {
      message: expect.stringMatching(/ 1 segment.* 1\/1-5, cannot be read/),
      advice: expect.stringContaining('export'),
    },
  ]);
});
