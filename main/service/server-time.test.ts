import { expect, it } from 'vitest';
import { BUILD_DATE, serverTime } from './server-time';

const https = 'https://ads.example.com/v1alpha2/ads';
const told = 'Fri, 20 Nov 2026 09:30:00 GMT';
const at = Date.parse(told);
const twentyYearsLater = new Date(BUILD_DATE).setUTCFullYear(new Date(BUILD_DATE).getUTCFullYear() + 20);
const date = (time: number) => new Date(time).toUTCString();

it.each<[string, string, Record<string, string>, number | null]>([
  ['the date of an answer', https, { date: told }, at],
  ['the date as C’s asctime writes it, which is UTC', https, { date: 'Fri Nov 20 09:30:00 2026' }, at],
  ['less its age', https, { date: told, age: '30' }, at - 30_000],
  ['an age that is no number is none', https, { date: told, age: '-30' }, at],
  ['this very machine needs no TLS', 'http://127.0.0.1:8080/ads', { date: told }, at],
  ['another machine does', 'http://ads.example.com/ads', { date: told }, null],
  ['so does one of the same network', 'http://192.168.0.7/ads', { date: told }, null],
  ['no date', https, {}, null],
  ['no readable date', https, { date: 'yesterday' }, null],
  ['the last date JavaScript knows', https, { date: 'Fri, 12 Sep 275760 23:59:59 GMT' }, null],
  ['the build’s own date', https, { date: date(BUILD_DATE) }, BUILD_DATE],
  ['a moment before the build', https, { date: date(BUILD_DATE - 1000) }, null],
  ['before the build by its age', https, { date: date(BUILD_DATE), age: '1' }, null],
  ['twenty years after the build', https, { date: date(twentyYearsLater) }, twentyYearsLater],
  ['later than that', https, { date: date(twentyYearsLater + 1000) }, null],
])('%s', (_name, url, headers, expected) => {
  expect(serverTime(url, new Headers(headers), 7)).toEqual(
    expected === null ? null : { at: expected, monotonic: 7 },
  );
});
