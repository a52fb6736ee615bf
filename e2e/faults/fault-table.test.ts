import { describe, expect, it } from 'vitest';
import { faultDocument } from './fault-table';

const machine = { cores: 2, hasGraphics: false, display: '1280 × 720' };
const row = (fault: string, saw: string) =>
  `| process | ${fault} | ${saw} | nothing | at once | from inside |`;
/** The rows without the padding of their columns. */
const rowsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| process'))
    .map((line) => line.replace(/ +/g, ' '));

describe('the document of faults', () => {
  it('lists the rows that ran in the order of the faults, and names the machine', () => {
    const text = faultDocument('', [row('b', 'x'), row('a', 'y')], ['a', 'b', 'never ran'], machine);
    expect(rowsIn(text)).toEqual([row('a', 'y'), row('b', 'x')]);
    expect(text).toContain('2 cores and no graphics processor (software rendering)');
    expect(text).toContain('\n2 faults.\n');
  });

  it('is aligned in columns', () => {
    expect(faultDocument('', [row('b', 'longer than its head')], ['b'], machine)).toContain(
      [
        '| what    | fault | the shopper saw      | lost    | healed after | how         |',
        '| ------- | ----- | -------------------- | ------- | ------------ | ----------- |',
        '| process | b     | longer than its head | nothing | at once      | from inside |',
      ].join('\n'),
    );
  });

  it('replaces the rows that ran, keeps the others, and removes rows of faults that no longer exist', () => {
    const before = faultDocument(
      '',
      ['a', 'b', 'c'].map((each) => row(each, 'old')),
      ['a', 'b', 'c'],
      machine,
    );
    const after = faultDocument(before, [row('b', 'new')], ['a', 'b'], machine);
    expect(rowsIn(after)).toEqual([row('a', 'old'), row('b', 'new')]);
  });
});
