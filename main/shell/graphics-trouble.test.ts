import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterGraphicsCrash,
  CRASHES_WITHIN_MS,
  type GraphicsTrouble,
  isSurelyMissing,
  MOST_CRASHES,
  noGraphicsTrouble,
  readTrouble,
  troubleAtStart,
} from './graphics-trouble';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;
const HOUR = 3_600_000;
const start = (now: number, version = '1', devices = '') => ({ version, now, devices });

function crash(trouble: GraphicsTrouble, times: readonly number[], isSoftware = false) {
  let state = trouble;
  const remedies = times.map((at) => {
    const step = afterGraphicsCrash(state, at, isSoftware);
    state = step.trouble;
    return step.remedy;
  });
  return { state, remedies };
}

describe('trouble with the graphics process', () => {
  it('crashes now and then change nothing', () => {
    const times = Array.from({ length: 10 }, (_, index) => NOW + index * CRASHES_WITHIN_MS);
    expect(new Set(crash(noGraphicsTrouble('1'), times).remedies)).toEqual(new Set(['none']));
  });

  it(`${MOST_CRASHES} of them in ten minutes give the hardware up, and that is remembered`, () => {
    const { state, remedies } = crash(noGraphicsTrouble('1'), [NOW, NOW + 1_000, NOW + 2_000]);
    expect(remedies).toEqual(['none', 'none', 'startOver']);
    expect(troubleAtStart(state, start(NOW + 3_000)).softwareSince).toBe(NOW + 2_000);
    expect(troubleAtStart(state, start(NOW + 2_000 + DAY - 1)).softwareSince).toBe(NOW + 2_000);
  });

  it('they count across starts, as the browser may end with the last of them', () => {
    const first = crash(noGraphicsTrouble('1'), [NOW, NOW + 1_000]).state;
    const second = troubleAtStart(first, start(NOW + 5_000));
    expect(crash(second, [NOW + 6_000]).remedies).toEqual(['startOver']);
  });

  it.each([
    ['a day later', '1', NOW + DAY],
    ['with another version', '2', NOW + 1],
    ['where the clock was a day ahead', '1', NOW - DAY],
  ])('the hardware is tried again %s', (_when, version, at) => {
    const given = { version: '1', crashes: [], softwareSince: NOW, missing: null };
    expect(troubleAtStart(given, start(at, version))).toEqual(noGraphicsTrouble(version));
  });

  it('crashes without the hardware end the process', () => {
    const software = { version: '1', crashes: [], softwareSince: NOW, missing: null };
    const { state, remedies } = crash(software, [NOW + 1, NOW + 2, NOW + 3], true);
    expect(remedies).toEqual(['none', 'none', 'giveUp']);
    expect(state.softwareSince).toBe(NOW);
    // Hardware that was not there has not crashed.
    const missing = { ...noGraphicsTrouble('1'), missing: { since: NOW, devices: '' } };
    expect(crash(missing, [NOW + 1, NOW + 2, NOW + 3], true)).toEqual({
      state: missing,
      remedies: ['none', 'none', 'giveUp'],
    });
  });

  it.each([
    ['linux', '', true],
    ['linux', 'by-path card0', true],
    ['linux', 'by-path card0 renderD128', false],
    ['win32', '', false],
  ])('on %s with the devices "%s" hardware that was not found is missing for good: %s', (...given) => {
    const [platform, devices, expected] = given;
    expect(isSurelyMissing(platform, devices)).toBe(expected);
  });

  const missing = { since: NOW, devices: 'card0' };
  it.each([
    ['the next moment', start(NOW + 1, '1', 'card0'), missing],
    ['nearly 20 hours later', start(NOW + 20 * HOUR - 1, '1', 'card0'), missing],
    ['20 hours later', start(NOW + 20 * HOUR, '1', 'card0'), null],
    ['where the clock was a day ahead', start(NOW - DAY, '1', 'card0'), null],
    ['with another version', start(NOW + 1, '2', 'card0'), null],
    ['with another device', start(NOW + 1, '1', 'card0 renderD128'), null],
  ])('hardware that is missing is looked for again: %s', (_when, at, expected) => {
    const stored = { ...noGraphicsTrouble('1'), crashes: [NOW], missing };
    expect(troubleAtStart(stored, at).missing).toEqual(expected);
    // What is known of crashes is another matter.
    expect(troubleAtStart(stored, at).crashes).toEqual(at.version === '1' ? [NOW] : []);
  });

  it('is read as it was stored, and anything else is none', () => {
    const time = fc.integer({ min: 0, max: 2 ** 45 });
    const trouble = fc.record({
      version: fc.string(),
      crashes: fc.array(time, { maxLength: 3 }),
      softwareSince: fc.option(time),
      missing: fc.option(fc.record({ since: time, devices: fc.string() })),
    });
    fc.assert(
      fc.property(trouble, (stored) => {
        expect(readTrouble(JSON.stringify(stored))).toEqual(stored);
      }),
    );
    fc.assert(
      fc.property(
        trouble,
        fc.constantFrom('version', 'crashes', 'softwareSince', 'missing'),
        fc.constantFrom<unknown>({}, [null], true, undefined),
        (stored, name, wrong) => {
          expect(readTrouble(JSON.stringify({ ...stored, [name]: wrong }))).toBeNull();
        },
      ),
    );
    for (const text of ['', 'null', '[]', '{', '"a"', '{"version":"1"}'])
      expect(readTrouble(text)).toBeNull();
  });
});
