import { expect, test } from 'vitest';
import { readStartOptions } from './start-options';

test.each([
  ['nothing', [], { configPath: null, dataDir: null }],
  ['a value apart', ['--config', 'a.json'], { configPath: '/here/a.json' }],
  ['a value attached', ['--data-dir=../d'], { dataDir: '/d' }],
  ['the last one', ['--config=a', '--config', '/b'], { configPath: '/b' }],
  ['a file that is missing after its option', ['--disable-gpu', '--config'], { configPath: '' }],
  ['an empty file', ['--config='], { configPath: '' }],
  ['a folder that is missing after its option', ['--data-dir'], { dataDir: null }],
  [
    'a command, with everything after it',
    ['--endcap-command', 'pin', '--config'],
    { command: { name: 'pin', args: ['--config'] } },
  ],
])('reads %s', (_, args, options) => {
  expect(readStartOptions(args, '/here')).toMatchObject(options);
});
