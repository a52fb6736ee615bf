import { describe, expect, it } from 'vitest';
import { keepMediaInUse } from './media-in-use';
import type { PlayerFact } from './player';

/** Of a slot's facts only the address of its file matters here. */
const facts = (mediaUrl: string) => ({ mediaUrl }) as Extract<PlayerFact, { kind: 'showing' }>['facts'];
const showing = (url: string): PlayerFact => ({
  kind: 'showing',
  facts: facts(url),
  moving: false,
  startedAt: 0,
  durationMs: 1,
});

describe('the media in use', () => {
  it('are those of what shows and of what comes next', () => {
    const told: string[][] = [];
    const houseTold: string[][] = [];
    const tell = keepMediaInUse(
      { inUse: (urls) => void told.push([...urls]) },
      { inUse: (keys) => void houseTold.push([...keys]) },
    );
    tell({ kind: 'next', facts: facts('u:a') });
    tell(showing('u:a'));
    tell({ kind: 'next', facts: facts('u:b') });
    tell({ kind: 'decided', tookMs: 1, found: true });
    tell({ kind: 'next', facts: null });
    tell({ kind: 'nothing-showing' });
    expect(told).toEqual([['u:a'], ['u:a', 'u:a'], ['u:a', 'u:b'], ['u:a'], []]);
    tell({ kind: 'next', facts: facts('media://house/key') });
    expect(houseTold.at(-1)).toEqual(['key']);
  });
});
