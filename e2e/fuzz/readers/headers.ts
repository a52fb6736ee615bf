import { beaconUrls } from '../../../main/beacons/macros';
import { askedWaitMs, MAX_RETRY_AFTER_MS } from '../../../main/egress/back-off';
import { decodeText } from '../../../main/egress/decode-text';
import { linkTarget } from '../../../main/native/link-target';
import { serverTime } from '../../../main/service/server-time';
import { MAX_TOKEN_BYTES, readTokenAnswer } from '../../../main/service/token';
import { textReader } from '../fuzz-reader';

/** The most bytes of headers that Node accepts. */
const HEADERS = 16_384;
const DATES = ['Sat, 21 Nov 2026 09:30:00 GMT', 'Fri, 12 Sep 275760 23:59:59 GMT', '2026-11-20T09:30:00Z'];
const DATE_WORDS = [
  'Sat, ',
  ' Nov ',
  '2026',
  '275760',
  '23:59:60',
  'GMT',
  '+9999',
  ':',
  ' ',
  '(',
  ')',
  '-',
  '9',
];

/** A line for each header. Only valid header values reach the reader: `fetch` rejects the rest. */
function headers(text: string, ...names: readonly string[]): Headers | null {
  const lines = text.split('\n').slice(0, names.length);
  try {
    return new Headers(lines.map((line, index) => [names[index] ?? '', line]));
  } catch {
    return null;
  }
}

/** Header values, and addresses that an ad names. */
export const HEADER_READERS = [
  textReader({
    name: 'date',
    seeds: [...DATES, `${DATES[0]}\n30`],
    words: [...DATE_WORDS, '\n9'],
    longestBytes: HEADERS,
    read: (text) => {
      const sent = headers(text, 'date', 'age');
      return sent && serverTime('https://ads.example/', sent, 0);
    },
    // A time that cannot be formatted makes the code that writes it throw (a log line, a beacon).
    judge: (result) => {
      const at = result !== null && typeof result === 'object' && 'at' in result ? Number(result.at) : 0;
      return Number.isNaN(new Date(at).getTime()) ? `no time: ${at}` : null;
    },
  }),
  textReader({
    name: 'token',
    seeds: ['{"access_token":"abc","token_type":"Bearer","expires_in":3600,"scope":"openid"}'],
    words: ['{', '}', '[', ']', '"', '":', ',', '{"a":', '"expires_in":', '"id_token":', '1e999', '\\u0000'],
    longestBytes: MAX_TOKEN_BYTES,
    read: (text) => {
      const answer = readTokenAnswer(text);
      return typeof answer === 'string' ? null : answer.lifetimeMs;
    },
    judge: (ms) =>
      ms === null || (typeof ms === 'number' && ms >= 5_000 && ms <= 86_400_000) ? null : `${ms} ms`,
  }),
  textReader({
    name: 'retry-after',
    seeds: ['120', ...DATES, `${DATES[0]}\n${DATES[0]}`],
    words: [...DATE_WORDS, '\n'],
    longestBytes: HEADERS,
    read: (text) => {
      const sent = headers(text, 'retry-after', 'date');
      return sent && askedWaitMs(sent, Date.UTC(2026, 10, 20));
    },
    judge: (ms) =>
      ms === null || (typeof ms === 'number' && ms >= 0 && ms <= MAX_RETRY_AFTER_MS) ? null : `${ms} ms`,
  }),
  textReader({
    name: 'content-type',
    seeds: ['text/html; charset="utf-8"', 'application/xml;charset=utf-16le'],
    words: [';', 'charset', '=', '"', ' ', ';charset=', '; charset =', '/', '\t', 'utf-8', 'x-user-defined'],
    longestBytes: HEADERS,
    read: (text) => decodeText(Uint8Array.of(60, 63, 120), text),
  }),
  textReader({
    name: 'declared-encoding',
    seeds: ['<?xml version="1.0" encoding="ISO-8859-1"?><a/>'],
    words: ['<?xml', ' encoding', '=', '"', "'", ' ', '\n', '>', '?', '\uFEFF'],
    read: (text) => decodeText(Buffer.from(text), null),
  }),
  textReader({
    name: 'beacon-url',
    seeds: ['https://a.example/i?t=[TIMESTAMP]&c=%5BCACHEBUSTING%5D#f'],
    words: ['[', ']', '%5B', '%5D', '[TIMESTAMP]', '[A', '[constructor]', '?', '&', '#', 'A'],
    longestBytes: 32_768,
    read: (text) => beaconUrls({ at: 0, cacheBuster: 1, errorCode: 400 }, 'ets')(text),
    judge: (url) =>
      typeof url === 'string' && /native%20code|%5Bobject/.test(url) ? 'a macro gave program text' : null,
  }),
  textReader({
    name: 'link',
    seeds: [
      'app://open?u=https%3A%2F%2Fa.example',
      'intent://a#Intent;S.browser_fallback_url=https%3A%2F%2Fa;end',
    ],
    words: [
      'intent:',
      ';',
      'S.browser_fallback_url=',
      '?',
      '&',
      '=',
      '%',
      '%3A',
      '#Intent;',
      'https://',
      '//',
      '+',
      '@',
    ],
    longestBytes: 32_768,
    read: linkTarget,
  }),
];
