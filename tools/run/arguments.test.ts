import { expect, test } from 'vitest';
import { readKioskArguments, wholeNumber, writeKioskArguments } from './arguments.ts';

test.each([
  ['nothing', [], { config: null, dataDir: null, others: [] }],
  ['a value apart', ['--config', 'a.json'], { config: '/here/a.json', dataDir: null, others: [] }],
  ['a value attached', ['--data-dir=../d'], { config: null, dataDir: '/d', others: [] }],
  ['absolute paths', ['--config=/etc/a.json'], { config: '/etc/a.json', dataDir: null, others: [] }],
  ['the last one counts', ['--config=a', '--config', 'b'], { config: '/here/b', dataDir: null, others: [] }],
  ['an equals sign inside a value', ['--config=a=b'], { config: '/here/a=b', dataDir: null, others: [] }],
  [
    'others in their order',
    ['--windowed', '--config', 'a', '--disable-gpu', 'x'],
    { config: '/here/a', dataDir: null, others: ['--windowed', '--disable-gpu', 'x'] },
  ],
  ['no value: for the kiosk to name', ['--config'], { config: null, dataDir: null, others: ['--config'] }],
  ['an empty value, likewise', ['--config='], { config: null, dataDir: null, others: ['--config='] }],
  [
    'names that only begin alike',
    ['--configure=a'],
    { config: null, dataDir: null, others: ['--configure=a'] },
  ],
])('reads %s', (_, args, expected) => {
  expect(readKioskArguments(args, '/here')).toEqual(expected);
});

test('arguments are written so that the kiosk reads the same', () => {
  const read = readKioskArguments(['--windowed', '--data-dir', 'd', '--config', 'c'], '/here');
  expect(writeKioskArguments(read)).toEqual(['--config=/here/c', '--data-dir=/here/d', '--windowed']);
  expect(readKioskArguments(writeKioskArguments(read), '/elsewhere')).toEqual(read);
});

test.each(['', '0', '-1', '1.5', 'x'])(
  '"%s" is refused where a whole number from 1 on is expected',
  (text) => {
    expect(() => wholeNumber(text, 1)).toThrow(/expected a whole number from 1 on/);
  },
);

test('whole numbers within bounds are read', () => {
  expect([wholeNumber('0'), wholeNumber('7', 1)]).toEqual([0, 7]);
});
