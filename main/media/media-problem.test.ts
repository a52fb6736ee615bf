import { expect, it } from 'vitest';
import { houseUrl } from './house-file';
import { problemWords } from './media-problem';

const STAMP = { bytes: 1_234, modifiedMs: 1.5, inode: 7 };

it('a problem of a house creative has its name as in its folder, and advice on that folder', () => {
  const url = houseUrl('Käse Aktion.heic', STAMP);
  expect(problemWords({ url, code: 'not-media' })).toEqual({
    file: 'house:Käse Aktion.heic',
    advice: expect.stringContaining('house folder'),
  });
  expect(problemWords({ url, code: 'short' }).advice).toContain('may read it');
  for (const code of ['corrupt', 'not-shown', 'harmful'] as const)
    expect(problemWords({ url, code }).advice).toMatch(/house folder/);
  // The old version is kept until the new one is there.
  expect(problemWords({ url, code: 'no-room' }).advice).toMatch(/remove the file from the house folder/);
  expect(problemWords({ url, code: 'disk-full' }).advice).toContain('disk space');
});

it.each(['disk-full', 'disk-read-only', 'disk'] as const)(
  'a problem %s does not promise that stored ads play: the books are on the same disk',
  (code) => {
    const { advice } = problemWords({ url: 'https://cdn.example/a.mp4', code });
    expect(advice).toMatch(/by itself.* only while the books can be written/);
    expect(advice).not.toContain('plays on');
  },
);

it('a problem of an ad’s file has its address without keys, and advice on the server', () => {
  const url = 'https://cdn.example/a.mp4?Signature=secret';
  expect(problemWords({ url, code: 'not-media' })).toEqual({
    file: 'https://cdn.example/a.mp4?…',
    advice: expect.stringContaining('log-in page'),
  });
});
