import { expect, test } from 'vitest';
import { readKioskArguments, wholeNumber } from './arguments.ts';

test.each([
  ['nothing', [], {}, []],
  ['a value apart', ['--config', 'a.json'], { config: '/here/a.json' }, []],
  ['a value attached', ['--data-dir=../d'], { dataDir: '/d' }, []],
  ['absolute paths', ['--config=/etc/a.json'], { config: '/etc/a.json' }, []],
  ['the last one counts', ['--config=a', '--config', 'b'], { config: '/here/b' }, []],
  ['an equals sign inside a value', ['--config=a=b'], { config: '/here/a=b' }, []],
  [
    'others in their order',
    ['--windowed', '--config', 'a', '--disable-gpu', 'x'],
    { config: '/here/a' },
    ['--windowed', '--disable-gpu', 'x'],
  ],
  ['no value: for the kiosk to name', ['--config'], {}, ['--config']],
  ['an empty value, likewise', ['--config='], {}, ['--config=']],
  ['names that only begin alike', ['--configure=a'], {}, ['--configure=a']],
])('reads %s', (_, args, expected: { config?: string; dataDir?: string }, others) => {
  const paths = Object.entries({ config: expected.config, 'data-dir': expected.dataDir });
  const given = paths.flatMap(([name, path]) => (path === undefined ? [] : `--${name}=${path}`));
  expect(readKioskArguments(args, '/here')).toEqual({ ...expected, forKiosk: [...given, ...others] });
});

test('arguments are written so that the kiosk reads the same', () => {
  const read = readKioskArguments(['--windowed', '--data-dir', 'd', '--config', 'c'], '/here');
  expect(read.forKiosk).toEqual(['--data-dir=/here/d', '--config=/here/c', '--windowed']);
  expect(readKioskArguments(read.forKiosk, '/elsewhere')).toEqual(read);
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
