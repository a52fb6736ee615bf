import { expect, it } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { createPageLeads, MAX_PAGES } from './page-leads';

function world() {
  const time = handTurnedTime();
  const leads = createPageLeads(time.clock);
  const load = (page: string, ms: number) => {
    const painted = leads.loads(page);
    time.pass(ms);
    painted();
  };
  return { leads, load };
}

it('a page has twice the time of its last load, and half a second', () => {
  const { leads, load } = world();
  expect(leads.of('a')).toBeUndefined();
  load('a', 400);
  load('b', 3_000);
  expect([leads.of('a'), leads.of('b')]).toEqual([1_300, 6_500]);
  load('a', 900);
  expect(leads.of('a')).toBe(2_300);
});

it('a page that did not paint the last time is loaded as early as one that was never loaded', () => {
  const { leads, load } = world();
  load('a', 400);
  leads.loads('a');
  expect(leads.of('a')).toBeUndefined();
});

it('of very many pages, those that were loaded last are known', () => {
  const { leads, load } = world();
  load('first', 1);
  load('second', 1);
  load('first', 1);
  for (let n = 1; n < MAX_PAGES; n += 1) load(`page-${n}`, 1);
  expect([leads.of('first'), leads.of('second')]).toEqual([502, undefined]);
});
