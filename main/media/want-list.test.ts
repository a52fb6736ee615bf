import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNeeded, MEDIA_USERS, type MediaUser, type Need, needsOf, type WantedBy } from './want-list';

const none: WantedBy = { online: [], native: [], upcoming: [], playlist: [], house: [], late: [] };
const wanted = fc.array(
  fc.record(
    {
      url: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      expiresAt: fc.option(fc.nat(100)),
    },
    { requiredKeys: ['url'] },
  ),
  { maxLength: 6 },
);
const wishes = fc.record({
  online: wanted,
  native: wanted,
  upcoming: wanted,
  playlist: wanted,
  house: wanted,
  late: wanted,
});

describe('the want list', () => {
  it('is in the order of its sources, then in the given order', () => {
    const needs = needsOf({
      ...none,
      playlist: [{ url: 'c' }, { url: 'd' }, { url: 'b' }],
      house: [{ url: 'own' }],
      online: [{ url: 'now' }],
      upcoming: [{ url: 'first' }, { url: 'd' }],
      late: [{ url: 'last' }, { url: 'now' }],
    });
    expect([...needs.keys()]).toEqual(['now', 'own', 'last', 'first', 'd', 'c', 'b']);
    expect(needs.get('d')).toEqual({
      url: 'd',
      urls: ['d'],
      form: 'media',
      by: 'upcoming',
      inPlaylist: true,
      expiresAt: null,
    });
  });

  it('names each file once, with the latest of its URLs that are listed', () => {
    const from = (signature: string) => ({ url: `a?Expires=1&KeyName=k&Signature=${signature}` });
    let lists = none;
    let needs: ReadonlyMap<string, Need> = new Map();
    const newestAfter = (who: MediaUser, ...signatures: string[]) => {
      lists = { ...lists, [who]: signatures.map(from) };
      needs = needsOf(lists, needs);
      return [...needs.values()].map((need) => `${need.url} ${need.urls[0]?.at(-1)}`);
    };
    expect(newestAfter('playlist', '1')).toEqual(['a 1']);
    expect(newestAfter('online', '2')).toEqual(['a 2']);
    expect(newestAfter('upcoming', '3')).toEqual(['a 3']);
    // It moves from one list to another.
    expect(newestAfter('late', '2')).toEqual(['a 3']);
    expect(newestAfter('online')).toEqual(['a 3']);
    expect(newestAfter('playlist', '3')).toEqual(['a 3']);
    expect(newestAfter('upcoming')).toEqual(['a 3']);
    expect(newestAfter('online', '4')).toEqual(['a 4']);
    // Its ad is gone, and its signature may last shorter than that of an ad that is still there.
    expect(newestAfter('online')).toEqual(['a 3']);
    expect(newestAfter('playlist')).toEqual(['a 2']);
    expect(newestAfter('late')).toEqual([]);
  });

  it('keeps a file as long as any source needs it', () => {
    fc.assert(
      fc.property(wishes, fc.nat(120), (all, now) => {
        const needs = needsOf(all);
        for (const url of ['a', 'b', 'c', 'd', 'e']) {
          const anybody = MEDIA_USERS.some((who) =>
            all[who].some((one) => one.url === url && now <= (one.expiresAt ?? Number.POSITIVE_INFINITY)),
          );
          expect(isNeeded(needs.get(url), now)).toBe(anybody);
        }
      }),
    );
  });

  it('lists each file once, for its most urgent source', () => {
    fc.assert(
      fc.property(wishes, (all) => {
        for (const need of needsOf(all).values()) {
          const who = MEDIA_USERS.filter((one) => all[one].some(({ url }) => url === need.url));
          expect(need.by).toBe(who[0]);
          expect(need.inPlaylist).toBe(who.includes('playlist'));
        }
      }),
    );
  });
});
