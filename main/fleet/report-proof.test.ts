import { expect, it } from 'vitest';
import type { Fact } from '../status/facts';
import { exampleStatus } from '../status/testing/example-status';
import { reportProof } from './report-proof';

const DAY = 86_400_000;
const SETTLED = Date.UTC(2026, 10, 20, 9);

it.each([
  ['five minutes', 300_000, DAY + 300_000],
  ['a day', DAY, 2 * DAY],
])('plays that wait a day longer than the period of %s are a problem', (_period, everyMs, longestMs) => {
  const problemAfter = (ms: number) => {
    const facts: Fact[] = [];
    const clock = { now: () => SETTLED + ms, monotonic: () => 0 };
    const start = { epoch: 1, seq: 0 };
    const position = {
      cursor: start,
      readFrom: start,
      heads: [],
      waiting: 1,
      oldestSettledAt: SETTLED,
      setAside: [],
      dropped: [],
      pending: null,
    };
    reportProof(
      (fact) => void facts.push(fact),
      clock,
      everyMs,
    )({ position, lastSentAt: null, lastError: null });
    return exampleStatus(0, facts).attention.map(({ code }) => code);
  };
  expect(problemAfter(longestMs)).toEqual([]);
  expect(problemAfter(longestMs + 1)).toEqual(['proof-waiting']);
});
