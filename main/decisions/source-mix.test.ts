import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditsAfter, nextSource, sourceShares } from './source-mix';

/**
 * Plays `slots` slots; `contendersAt` returns the contenders for each. Returns what played in each slot, −1 for
 * nothing.
 */
function play(
  shares: readonly number[],
  slots: number,
  contendersAt: (slot: number) => readonly number[],
  credits: ArrayLike<number> = new Float64Array(shares.length),
): { played: number[]; credits: Float64Array } {
  let held = Float64Array.from(credits);
  const played: number[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const contest = { contenders: contendersAt(slot), shares, credits: held };
    const chosen = nextSource(contest);
    played.push(chosen);
    if (chosen >= 0) held = Float64Array.from(creditsAfter(contest, chosen));
  }
  return { played, credits: held };
}

const all = (shares: readonly number[]) => {
  const everyone = shares.map((_, source) => source);
  return () => everyone;
};

/** The largest deviation of a source from its share, over all prefixes of the sequence, in slots. */
function worstDeviation(shares: readonly number[], played: readonly number[]): number {
  const counts = shares.map(() => 0);
  let worst = 0;
  for (const [slot, chosen] of played.entries()) {
    counts[chosen] = (counts[chosen] ?? 0) + 1;
    for (const [source, share] of shares.entries()) {
      worst = Math.max(worst, Math.abs((counts[source] ?? 0) - share * (slot + 1)));
    }
  }
  return worst;
}

describe('shares', () => {
  const sources = [
    { sourceId: 'cms', ads: 6 },
    { sourceId: 'ssp', ads: 3 },
    { sourceId: '', ads: 1 },
  ];
  it.each<[string, Record<string, number>, number[]]>([
    ['without weights: of the playlist', {}, [0.6, 0.3, 0.1]],
    ['weights of all', { cms: 1, ssp: 1, '': 2 }, [0.25, 0.25, 0.5]],
    ['sources without a weight keep their share', { cms: 1, ssp: 2 }, [0.3, 0.6, 0.1]],
    ['weights are relative to each other only', { cms: 100, ssp: 200 }, [0.3, 0.6, 0.1]],
    ['a single weight changes nothing', { ssp: 5 }, [0.6, 0.3, 0.1]],
    ['weight 0 takes no share', { ssp: 0 }, [6 / 7, 0, 1 / 7]],
    ['all 0', { cms: 0, ssp: 0, '': 0 }, [0, 0, 0]],
    ['unknown sources are ignored', { elsewhere: 9 }, [0.6, 0.3, 0.1]],
  ])('%s', (_name, weights, expected) => {
    const shares = sourceShares(sources, weights);
    for (const [source, share] of expected.entries()) expect(shares[source]).toBeCloseTo(share, 12);
  });

  it('sources named like object members have no weights', () => {
    const named = ['toString', '__proto__'].map((sourceId) => ({ sourceId, ads: 1 }));
    expect(sourceShares(named, {})).toEqual([0.5, 0.5]);
  });

  it('of an empty playlist are an empty list', () => {
    expect(sourceShares([], { cms: 1 })).toEqual([]);
  });
});

describe('the mix', () => {
  const anyShares = fc
    .array(
      fc.oneof(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0.001, max: 1000, noNaN: true, noDefaultInfinity: true }),
      ),
      { minLength: 1, maxLength: 40, size: 'max' },
    )
    .map((weights) => {
      const whole = weights.reduce((sum, weight) => sum + weight, 0);
      return weights.map((weight) => weight / whole);
    });

  it('keeps every prefix of 10,000 slots within one slot of each share, while all can play', () => {
    fc.assert(
      fc.property(anyShares, (shares) => {
        const { played } = play(shares, 10_000, all(shares));
        expect(worstDeviation(shares, played)).toBeLessThanOrEqual(1 + 1e-6);
      }),
      { numRuns: 25 },
    );
  });

  it('gives a source with a single ad its share', () => {
    const shares = [0.99, 0.01];
    const { played } = play(shares, 1000, all(shares));
    expect(played.filter((source) => source === 1)).toHaveLength(10);
  });

  it('spreads shares of 3 to 1 without blocks', () => {
    expect(play([0.75, 0.25], 8, all([0.75, 0.25])).played).toEqual([0, 0, 1, 0, 0, 0, 1, 0]);
  });

  it('chooses no source without contenders', () => {
    expect(nextSource({ contenders: [], shares: [1], credits: [0] })).toBe(-1);
  });

  it('uses sources of weight 0 only when no other can play, and then in turn', () => {
    const shares = [1, 0, 0];
    const { played } = play(shares, 9, (slot) => (slot < 3 ? [0, 1, 2] : slot < 7 ? [1, 2] : [0, 1, 2]));
    expect(played.slice(0, 3)).toEqual([0, 0, 0]);
    expect(played.slice(3, 7).sort()).toEqual([1, 1, 2, 2]);
    expect(played.slice(7)).toEqual([0, 0]);
  });

  it('a source of weight 0 changes nothing for the others while one of them can play', () => {
    const quarters = fc.integer({ min: -4, max: 4 }).map((quarter) => quarter / 4);
    const anySource = fc.record({ share: fc.integer({ min: 1, max: 4 }), credit: quarters });
    const chosenOf = (sources: ReadonlyArray<{ readonly share: number; readonly credit: number }>) =>
      nextSource({
        contenders: sources.map((_, index) => index),
        shares: sources.map(({ share }) => share),
        credits: sources.map(({ credit }) => credit),
      });
    fc.assert(
      fc.property(fc.array(anySource, { minLength: 1, maxLength: 4 }), quarters, (others, credit) => {
        expect(chosenOf([{ share: 0, credit }, ...others])).toBe(1 + chosenOf(others));
      }),
      { numRuns: 300 },
    );
  });

  it('a source that could not play does not catch up', () => {
    const shares = [0.5, 0.5];
    const { played } = play(shares, 1100, (slot) => (slot < 1000 ? [0] : [0, 1]));
    const back = played.slice(1000);
    expect(back.filter((source) => source === 1)).toHaveLength(50);
    expect(worstDeviation(shares, back)).toBeLessThanOrEqual(1);
  });

  it('holds its shares from any previous credits, without bursts', () => {
    fc.assert(
      fc.property(
        anyShares,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 30 })), { maxLength: 40, size: 'max' }),
        (shares, spells) => {
          let credits = new Float64Array(shares.length);
          for (const [mask, slots] of spells) {
            const contenders = shares
              .map((_, source) => source)
              .filter((source) => (mask >> (source % 30)) & 1);
            const spell = play(shares, slots, () => contenders, credits);
            credits = Float64Array.from(spell.credits);
            expect(
              spell.played.every((source) =>
                contenders.length === 0 ? source === -1 : contenders.includes(source),
              ),
            ).toBe(true);
          }
          for (const credit of credits) expect(Math.abs(credit)).toBeLessThanOrEqual(1);
          const { played } = play(shares, 600, all(shares), credits);
          expect(worstDeviation(shares, played)).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 60 },
    );
  });
});
