import { expect, test } from 'vitest';
import { reportPage } from './page';
import type { Answers } from './questions';
import { wrongAnswers } from './wrong-answers';

const answers: Answers = {
  from: '2026-01-05T00:00:00.000Z',
  to: '2026-01-06T00:00:00.000Z',
  billing: [
    { campaign: 'one', flight: 'F', sourceKey: 'S', plays: '3' },
    { campaign: 'two', flight: 'F', sourceKey: 'S', plays: '4' },
  ],
  mix: [],
  completeness: [],
  missing: [],
  overDeliveries: [],
  silent: [],
  hours: [],
  findings: [],
  verified: { kiosks: 0, segments: 0, rows: 0 },
};
const pageWith = (books: ReadonlyMap<string, number>) =>
  reportPage(answers, { subject: 'Two campaigns', books, struck: new Map(), live: [] });

test('a flight of several rows of the bill is compared by their sum, on the page too', () => {
  const equal = new Map([['F', 7]]);
  expect(wrongAnswers(answers, equal)).toEqual([]);
  expect(pageWith(equal)).toContain('Equal to the kiosks’ own books, to the play.');
  const unlike = new Map([['F', 4]]);
  expect(wrongAnswers(answers, unlike)).toEqual(['F: 7 billed, 4 in the books']);
  expect(pageWith(unlike)).toContain('Unlike the kiosks’ own books: F: 7 billed, 4 in the books.');
});

test('a flight that is billed, but in no books, is wrong, on the page too', () => {
  expect(wrongAnswers(answers, new Map())).toEqual(['F: 7 billed, 0 in the books']);
  expect(pageWith(new Map())).toContain('F: 7 billed, 0 in the books');
});
