import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterGraphicsCrash,
  CRASHES_WITHIN_MS,
  emptyHistory,
  type GraphicsHistory,
  historyAtStart,
  MAX_CRASHES,
  readGraphicsHistory,
} from './graphics-history';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;
const start = (now: number, version = '1') => ({ version, now });

function crash(history: GraphicsHistory, times: readonly number[], isSoftware = false) {
  let state = history;
  const remedies = times.map((at) => {
    const step = afterGraphicsCrash(state, at, isSoftware);
    state = step.history;
    return step.remedy;
  });
  return { state, remedies };
}

describe('crashes of the graphics process', () => {
  it('change nothing when they are rare', () => {
    const times = Array.from({ length: 10 }, (_, index) => NOW + index * CRASHES_WITHIN_MS);
    expect(new Set(crash(emptyHistory('1'), times).remedies)).toEqual(new Set(['none']));
  });

  it(`${MAX_CRASHES} of them in ten minutes switch to software rendering, even after a start`, () => {
    const { state, remedies } = crash(emptyHistory('1'), [NOW, NOW + 1_000, NOW + 2_000]);
    expect(remedies).toEqual(['none', 'none', 'startOver']);
    expect(historyAtStart(state, start(NOW + 3_000)).softwareSince).toBe(NOW + 2_000);
    expect(historyAtStart(state, start(NOW + 2_000 + DAY - 1)).softwareSince).toBe(NOW + 2_000);
  });

  it('count across starts, as the program may end with the last of them', () => {
    const first = crash(emptyHistory('1'), [NOW, NOW + 1_000]).state;
    const second = historyAtStart(first, start(NOW + 5_000));
    expect(crash(second, [NOW + 6_000]).remedies).toEqual(['startOver']);
  });

  it.each([
    ['a day later', '1', NOW + DAY],
    ['with another version', '2', NOW + 1],
    ['where the clock was a day ahead', '1', NOW - DAY],
  ])('the hardware is tried again %s', (_when, version, at) => {
    const given = { version: '1', crashes: [], softwareSince: NOW };
    expect(historyAtStart(given, start(at, version))).toEqual(emptyHistory(version));
  });

  it('during software rendering end the process', () => {
    const software = { version: '1', crashes: [], softwareSince: NOW };
    const { state, remedies } = crash(software, [NOW + 1, NOW + 2, NOW + 3], true);
    expect(remedies).toEqual(['none', 'none', 'giveUp']);
    expect(state.softwareSince).toBe(NOW);
  });

  it('are read as they were stored, and anything else is null', () => {
    const time = fc.integer({ min: 0, max: 2 ** 45 });
    const histories = fc.record({
      version: fc.string(),
      crashes: fc.array(time, { maxLength: 3 }),
      softwareSince: fc.option(time),
    });
    fc.assert(
      fc.property(histories, (stored) => {
        expect(readGraphicsHistory(JSON.stringify(stored))).toEqual(stored);
      }),
    );
    fc.assert(
      fc.property(
        histories,
        fc.constantFrom('version', 'crashes', 'softwareSince'),
        fc.constantFrom<unknown>({}, [null], true, undefined),
        (stored, name, wrong) => {
          expect(readGraphicsHistory(JSON.stringify({ ...stored, [name]: wrong }))).toBeNull();
        },
      ),
    );
    // Earlier versions stored more fields.
    fc.assert(
      fc.property(histories, fc.jsonValue(), (stored, missing) => {
        expect(readGraphicsHistory(JSON.stringify({ ...stored, missing }))).toEqual(stored);
      }),
    );
    for (const text of ['', 'null', '[]', '{', '"a"', '{"version":"1"}'])
      expect(readGraphicsHistory(text)).toBeNull();
  });
});
