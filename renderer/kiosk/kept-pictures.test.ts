import { describe, expect, it } from 'vitest';
import { KeptPictures } from './kept-pictures';

const keeping = (most: number) => {
  const held: string[] = [];
  const pictures = new KeptPictures((url) => held.push(url), most);
  return { held, pictures };
};

describe('pictures that were shown', () => {
  it('are held as they were shown last: an earlier copy would keep nothing decoded', () => {
    const { held, pictures } = keeping(3);
    for (let round = 0; round < 2; round += 1) for (const url of ['a', 'b']) pictures.keep(url);
    expect(held).toEqual(['a', 'b', 'a', 'b']);
    expect(pictures.addresses).toEqual(['a', 'b']);
  });

  it('give way to new ones, the one shown longest ago first', () => {
    const { pictures } = keeping(2);
    for (const url of ['a', 'b', 'a', 'c']) pictures.keep(url);
    expect(pictures.addresses).toEqual(['a', 'c']);
  });
});
