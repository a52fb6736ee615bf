import { describe, expect, it } from 'vitest';
import { keepMediaInUse, type PlayerFact } from './player-fact';
import { brandCard } from './slot-ad';

/** Only the addresses of a slot's files matter here. */
const card = brandCard(0);
const next = (...files: string[]): PlayerFact => ({ kind: 'next', showing: card, files });
const showing = (...files: string[]): PlayerFact => ({
  kind: 'showing',
  showing: card,
  files,
  drawn: [],
  moving: false,
});

describe('the media in use', () => {
  it('are those of the current and of the next creative', () => {
    const told: string[][] = [];
    const tell = keepMediaInUse({ inUse: (urls) => void told.push([...urls]) });
    tell(next('u:a'));
    tell(showing('u:a'));
    tell(next('u:b'));
    tell({ kind: 'chosen', tookMs: 1 });
    tell({ kind: 'next', showing: null, files: [] });
    tell(showing());
    expect(told).toEqual([['u:a'], ['u:a', 'u:a'], ['u:a', 'u:b'], ['u:a'], []]);
  });

  it('are those from before during a short hold, and none once a long one follows', () => {
    const told: string[][] = [];
    const tell = keepMediaInUse({ inUse: (urls) => void told.push([...urls]) });
    const held = (reason: string | null) => tell({ kind: 'held', reason });
    tell(showing('u:a'));
    tell(next('u:b'));
    held('overlay');
    tell(next());
    tell(showing());
    expect(told.at(-1)).toEqual(['u:a', 'u:b']);
    held('closed');
    expect(told.at(-1)).toEqual([]);
    held(null);
    tell(showing('u:c'));
    held('closed');
    tell(showing());
    expect(told.at(-1)).toEqual([]);
  });

  it('are all pictures of a native card, not only the first', () => {
    const told: string[][] = [];
    const tell = keepMediaInUse({ inUse: (urls) => void told.push([...urls]) });
    tell(next('u:banner', 'u:icon'));
    tell(showing('u:banner', 'u:icon'));
    tell(next());
    expect(told.at(-1)).toEqual(['u:banner', 'u:icon']);
  });
});
