import { describe, expect, it } from 'vitest';
import { KeptPictures } from './kept-pictures';

const keeping = (most: number) => {
  const held: string[] = [];
  const pictures = new KeptPictures((url) => held.push(url), most);
  return { held, pictures };
};

describe('pictures that were shown', () => {
  it('are held once, however often they are shown', () => {
    const { held, pictures } = keeping(3);
    for (let round = 0; round < 5; round += 1) for (const url of ['a', 'b', 'c']) pictures.keep(url);
    expect(held).toEqual(['a', 'b', 'c']);
  });

  it('give way to new ones, the one shown longest ago first', () => {
    const { held, pictures } = keeping(2);
    for (const url of ['a', 'b', 'a', 'c', 'b']) pictures.keep(url);
    expect(held).toEqual(['a', 'b', 'c', 'b']);
  });
});
