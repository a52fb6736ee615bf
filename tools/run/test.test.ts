import { expect, test } from 'vitest';
import { takePictures } from './screenshot.ts';
import { readTestArguments } from './test.ts';

test.each([
  [[], { group: undefined, more: [] }],
  [['--only', 'static'], { group: 'static', more: [] }],
  [
    ['--only', 'e2e', 'e2e/clicks.e2e.ts', '-g', 'a tap'],
    { group: 'e2e', more: ['e2e/clicks.e2e.ts', '-g', 'a tap'] },
  ],
])('npm test reads %j', (args, read) => {
  expect(readTestArguments(args)).toEqual(read);
});

test.each([
  [['main/cli'], 'got main/cli'],
  [['--only'], 'got --only'],
  [['--only', 'units'], 'got --only units'],
  [['--onyl', 'unit'], 'got --onyl unit'],
])('npm test runs not everything for %j, but says what it expected', (args, got) => {
  expect(() => readTestArguments(args)).toThrow(
    `expected nothing, or --only static|package|unit|e2e and more, ${got}`,
  );
});

test.each([
  [['overlays'], 'got "overlays"'],
  [['constructor'], 'got "constructor"'],
  [[], 'got nothing'],
])('npm run screenshot takes no other pictures for %j', async (args, got) => {
  await expect(takePictures(args)).rejects.toThrow(
    `expected one of overlay, touch, creatives, announcements, ${got}`,
  );
});
