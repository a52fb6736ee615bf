import { describe, expect, it } from 'vitest';
import { learnRunUp, type RunUp, runUpMs } from './run-up';

describe('the time ahead of its slot at which a video is started', () => {
  it.each<[string, number[], number]>([
    ['before any was seen is a guess', [], 80],
    ['is what the slowest of the latest took', [40, 70, 50], 70],
    ['is two frames at least', [3, 5], 34],
    ['is a quarter of a second at most', [40, 900], 250],
    ['forgets what is more than eight starts ago', [200, 40, 41, 42, 43, 44, 45, 46, 47], 47],
  ])('%s', (_what, took, expected) => {
    expect(runUpMs(took.reduce<RunUp>(learnRunUp, []))).toBe(expected);
  });
});
