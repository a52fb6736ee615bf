import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REFUSALS } from './answers';
import { DEFAULT_LIMITS } from './server-limits';

const document = readFileSync('docs/local-api.md', 'utf8');

test.each(Object.entries(REFUSALS))(
  'docs/local-api.md names the error %s with its status',
  (code, status) => {
    const row = document.split('\n').find((line) => line.startsWith('| ') && line.includes(`\`${code}\``));
    expect(row?.split('|')[1]).toContain(`${status}`);
  },
);

test('docs/local-api.md names the limits in force', () => {
  const {
    bodyBytes,
    headerBytes,
    connections,
    headersTimeoutMs,
    requestTimeoutMs,
    keepAliveMs,
    rate,
    answerMs,
  } = DEFAULT_LIMITS;
  const grouped = (number: number) => number.toLocaleString('en');
  for (const words of [
    `at most ${grouped(bodyBytes)} bytes of body, ${grouped(headerBytes)} of headers`,
    `headers have to arrive within ${headersTimeoutMs / 1_000} s, the whole request within ${requestTimeoutMs / 1_000} s`,
    `${rate.perSecond} requests a second, ${rate.burst} at once`,
    `at most ${connections} connections, an answer within ${answerMs / 1_000} s`,
    `open for ${keepAliveMs / 1_000} s without a request`,
  ])
    expect(document).toContain(words);
});
