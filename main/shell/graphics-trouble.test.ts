import { describe, expect, it } from 'vitest';
import {
  afterGraphicsCrash,
  CRASHES_WITHIN_MS,
  type GraphicsTrouble,
  MOST_CRASHES,
  noGraphicsTrouble,
  troubleAtStart,
} from './graphics-trouble';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

function crash(trouble: GraphicsTrouble, times: readonly number[]) {
  let state = trouble;
  const remedies = times.map((at) => {
    const step = afterGraphicsCrash(state, at);
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
    expect(troubleAtStart(state, '1', NOW + 3_000).softwareSince).toBe(NOW + 2_000);
    expect(troubleAtStart(state, '1', NOW + 2_000 + DAY - 1).softwareSince).toBe(NOW + 2_000);
  });

  it('they count across starts, as the browser may end with the last of them', () => {
    const first = crash(noGraphicsTrouble('1'), [NOW, NOW + 1_000]).state;
    const second = troubleAtStart(first, '1', NOW + 5_000);
    expect(crash(second, [NOW + 6_000]).remedies).toEqual(['startOver']);
  });

  it.each([
    ['a day later', '1', NOW + DAY],
    ['with another version', '2', NOW + 1],
    ['where the clock was a day ahead', '1', NOW - DAY],
  ])('the hardware is tried again %s', (_when, version, at) => {
    const given = { version: '1', crashes: [], softwareSince: NOW };
    expect(troubleAtStart(given, version, at)).toEqual(noGraphicsTrouble(version));
  });

  it('crashes without the hardware end the process', () => {
    const software = { version: '1', crashes: [], softwareSince: NOW };
    const { state, remedies } = crash(software, [NOW + 1, NOW + 2, NOW + 3]);
    expect(remedies).toEqual(['none', 'none', 'giveUp']);
    expect(state.softwareSince).toBe(NOW);
  });
});
