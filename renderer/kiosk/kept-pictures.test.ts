import { describe, expect, it } from 'vitest';
import { KeptPictures } from './kept-pictures';

const keeping = (most: number) => {
  const held: string[] = [];
  const pictures = new KeptPictures((url) => held.push(url), most);
  return { held, pictures };
};

describe('kept pictures', () => {
  it('are kept as the element shown last, because an earlier copy keeps nothing decoded', () => {
    const { held, pictures } = keeping(3);
    for (let round = 0; round < 2; round += 1) for (const url of ['a', 'b']) pictures.keep(url);
    expect(held).toEqual(['a', 'b', 'a', 'b']);
    expect(pictures.addresses).toEqual(['a', 'b']);
  });

  it('are replaced by new ones, least recently shown first', () => {
    const { pictures } = keeping(2);
    for (const url of ['a', 'b', 'a', 'c']) pictures.keep(url);
    expect(pictures.addresses).toEqual(['a', 'c']);
  });
});
