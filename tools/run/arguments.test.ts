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

test.each([
  ['', 'nothing'],
  ['0', '"0"'],
  ['-1', '"-1"'],
  ['1.5', '"1.5"'],
  ['x', '"x"'],
  ['10', '"10"'],
])('"%s" is refused where a whole number from 1 to 9 is expected', (text, got) => {
  expect(() => wholeNumber('--kiosks', text, 1, 9)).toThrow(
    `--kiosks: expected a whole number from 1 to 9, got ${got}`,
  );
});

test('an option that is not there is named as well', () => {
  expect(() => wholeNumber('--real', undefined)).toThrow('--real: expected a whole number from 1');
});

test('whole numbers within bounds are read', () => {
  expect([wholeNumber('--seed', '0', 0), wholeNumber('--kiosks', '7')]).toEqual([0, 7]);
});
