import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepPicture } from './kept-pictures';

class PretendImage {
  src = '';
}

beforeEach(() => void vi.stubGlobal('Image', PretendImage));
afterEach(() => vi.unstubAllGlobals());

const urlsOf = (kept: readonly { readonly src: string }[]) => kept.map(({ src }) => src);

it('a picture is kept as the element shown last, because an earlier copy keeps nothing decoded', () => {
  const [before] = keepPicture('a');
  keepPicture('b');
  const after = keepPicture('a');
  expect(urlsOf(after)).toEqual(['b', 'a']);
  expect(after).not.toContain(before);
});

it('the last 48 pictures are kept, least recently shown first', () => {
  const urls = Array.from({ length: 48 }, (_, index) => `picture ${index}`);
  for (const url of urls) keepPicture(url);
  keepPicture('picture 0');
  expect(urlsOf(keepPicture('another'))).toEqual([...urls.slice(2), 'picture 0', 'another']);
});
