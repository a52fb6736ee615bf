import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesToEvict, type Occupant } from './room';
import { isNeeded, type Need } from './want-list';

const DAY_MS = 86_400_000;
const now = 10 * DAY_MS;
const need = (url: string, changes: Partial<Need> = {}): Need => ({
  url,
  urls: [url],
  form: 'media',
  by: 'playlist',
  inPlaylist: true,
  expiresAt: null,
  ...changes,
});
const file = (url: string, changes: Partial<Occupant> = {}): Occupant => ({
  url,
  bytes: 10,
  storedAt: now - 5 * DAY_MS,
  usedAt: now - 1000,
  inUse: false,
  setAside: false,
  ...changes,
});
const evicted = (
  shortBy: number,
  occupants: readonly Occupant[],
  needs: readonly Need[],
  newFile = need('new'),
) =>
  filesToEvict({
    shortBy,
    newFile,
    occupants,
    needs: new Map([...needs, newFile].map((one) => [one.url, one])),
    now,
  })?.map(({ url }) => url) ?? null;

describe('room for a new file', () => {
  it.each<[string, number, Occupant[], Need[], Need, string[] | null]>([
    ['is there already', 0, [file('a')], [], need('new'), []],
    [
      'is made by what nobody wants, longest unused first',
      15,
      [file('a'), file('b', { usedAt: 5 }), file('c', { usedAt: 4 })],
      [],
      need('new'),
      ['c', 'b'],
    ],
    [
      'is made by what has expired',
      10,
      [file('a'), file('b')],
      [need('a'), need('b', { expiresAt: now - 1 })],
      need('new'),
      ['b'],
    ],
    [
      'is not made by what expires this moment',
      10,
      [file('b')],
      [need('b', { expiresAt: now })],
      need('new'),
      null,
    ],
    [
      'is made by what is set aside',
      10,
      [file('a'), file('b', { setAside: true })],
      [need('a'), need('b')],
      need('new'),
      ['b'],
    ],
    [
      'is made by what nobody wants rather than by the playlist, although it was used later',
      10,
      [file('a', { usedAt: 0 }), file('b')],
      [need('a')],
      need('new'),
      ['b'],
    ],
    ['is not made by what plays now or next', 10, [file('a', { inUse: true })], [], need('new'), null],
    [
      'is not made by the same playlist inside a day',
      10,
      [file('a', { usedAt: now - DAY_MS + 1 })],
      [need('a')],
      need('new'),
      null,
    ],
    [
      'is made by the same playlist after a day without use',
      10,
      [file('a', { usedAt: now - DAY_MS })],
      [need('a')],
      need('new'),
      ['a'],
    ],
    [
      'is not made by what was stored a moment ago',
      10,
      [file('a', { usedAt: 0, storedAt: now })],
      [need('a')],
      need('new'),
      null,
    ],
    [
      'is not made by a use in the future',
      10,
      [file('a', { usedAt: now + DAY_MS })],
      [need('a')],
      need('new'),
      null,
    ],
    [
      'is made for the playlist to come by the one that plays',
      10,
      [file('a'), file('b', { usedAt: 1 })],
      [need('a'), need('b')],
      need('new', { by: 'upcoming', inPlaylist: false }),
      ['b'],
    ],
    [
      'is not made for it by its own',
      10,
      [file('a', { usedAt: 0 })],
      [need('a', { by: 'upcoming' })],
      need('new', { by: 'upcoming', inPlaylist: false }),
      null,
    ],
    [
      'is not made by what a slot waits for',
      10,
      [file('a', { usedAt: 0 })],
      [need('a', { by: 'online', inPlaylist: false })],
      need('new'),
      null,
    ],
    [
      'is made for an ad by the house, however recently its files were used',
      10,
      [file('a', { usedAt: now })],
      [need('a', { by: 'house', inPlaylist: false })],
      need('new'),
      ['a'],
    ],
    [
      'is not made for the house by an ad, nor by the house',
      10,
      [file('a', { usedAt: 0 }), file('b', { usedAt: 0 })],
      [need('a'), need('b', { by: 'house', inPlaylist: false })],
      need('new', { by: 'house', inPlaylist: false }),
      null,
    ],
    ['is not made in part', 25, [file('a'), file('b')], [], need('new'), null],
  ])('%s', (_name, shortBy, occupants, needs, newFile, expected) => {
    expect(evicted(shortBy, occupants, needs, newFile)).toEqual(expected);
  });

  const occupants = fc.uniqueArray(
    fc.record({
      url: fc.constantFrom(...'abcdefgh'),
      bytes: fc.integer({ min: 1, max: 30 }),
      storedAt: fc.integer({ min: 0, max: now + DAY_MS }),
      usedAt: fc.integer({ min: 0, max: now + DAY_MS }),
      inUse: fc.boolean(),
      setAside: fc.boolean(),
    }),
    { selector: ({ url }) => url },
  );
  const needs = fc.uniqueArray(
    fc.record({
      url: fc.constantFrom(...'abcdefgh'),
      by: fc.constantFrom('online', 'native', 'upcoming', 'playlist', 'house' as const),
      inPlaylist: fc.boolean(),
      expiresAt: fc.option(fc.integer({ min: 0, max: 2 * now })),
    }),
    { selector: ({ url }) => url },
  ) as fc.Arbitrary<Need[]>;

  it('is enough, removes no file too many, and never a file that must stay', () => {
    const newFiles = fc.constantFrom(need('new'), need('new', { by: 'house', inPlaylist: false }));
    fc.assert(
      fc.property(
        occupants,
        needs,
        fc.integer({ min: -10, max: 120 }),
        newFiles,
        (files, wanted, shortBy, newFile) => {
          const byUrl = new Map(wanted.map((one) => [one.url, one]));
          const gone = filesToEvict({ shortBy, newFile, occupants: files, needs: byUrl, now });
          const mustStay = (one: Occupant) => {
            const its = byUrl.get(one.url);
            if (one.inUse) return true;
            if (!isNeeded(its, now) || one.setAside) return false;
            if (newFile.by === 'house') return true;
            if (its.by === 'house') return false;
            return its.by !== 'playlist' || Math.max(one.usedAt, one.storedAt) > now - DAY_MS;
          };
          const free = files.filter((one) => !mustStay(one)).reduce((sum, { bytes }) => sum + bytes, 0);
          expect(gone !== null).toBe(shortBy <= free || shortBy <= 0);
          if (gone === null) return;
          expect(gone.some(mustStay)).toBe(false);
          const freed = gone.reduce((sum, { bytes }) => sum + bytes, 0);
          expect(freed).toBeGreaterThanOrEqual(shortBy);
          const last = gone.at(-1);
          if (last) expect(freed - last.bytes).toBeLessThan(shortBy);
        },
      ),
    );
  });
});
