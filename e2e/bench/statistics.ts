/**
 * The sample that at least `share` (0 to 1) of all samples do not exceed: the
 * nearest rank, so that the answer is always a measured value. Throws without samples.
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  const found = sorted[rank - 1];
  if (found === undefined) throw new Error('there are no samples');
  return found;
}

/** The middle sample, or the mean of the two in the middle. Throws without samples. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new Error('there are no samples');
  return (low + high) / 2;
}

/**
 * Median of the ratios of paired samples. Slow changes during a run (heat, other programs) affect both
 * samples of a pair and cancel out.
 */
export function pairedRatio(samples: readonly number[], baseline: readonly number[]): number {
  if (samples.length !== baseline.length) throw new Error('every sample needs its baseline');
  return median(samples.map((sample, index) => sample / (baseline[index] ?? Number.NaN)));
}

/** A measurement beside its baseline, from paired samples, for a row of the report. */
export const compared = (samples: readonly number[], baseline: readonly number[]) => ({
  value: median(samples),
  baseline: median(baseline),
  ratio: pairedRatio(samples, baseline),
});

/** Runs `a` and `b` in turn, `rounds` times, so that both run under the same conditions. */
export async function interleaved(
  rounds: number,
  a: () => Promise<number> | number,
  b: () => Promise<number> | number,
): Promise<{ a: number[]; b: number[] }> {
  const samples = { a: [] as number[], b: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    samples.a.push(await a());
    samples.b.push(await b());
  }
  return samples;
}

/** A slope, and the bounds within which it lies with 95 % confidence. */
export interface Slope {
  readonly per: number;
  readonly least: number;
  readonly most: number;
}

/** 95 % of a normal distribution lie within this number of standard deviations. */
const DEVIATIONS = 1.96;

/**
 * The slope of points (x, y) by Theil and Sen: the median of the slopes of all pairs, with the bounds of
 * Kendall's test. Up to a quarter of the points may be outliers without much effect. Throws when there are
 * fewer than three pairs with different x.
 */
export function slopeOf(points: ReadonlyArray<readonly [x: number, y: number]>): Slope {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).flatMap(([otherX, otherY]) => (otherX === x ? [] : (otherY - y) / (otherX - x))),
  );
  if (slopes.length < 3) throw new Error('too few points for a slope');
  slopes.sort((a, b) => a - b);
  const { length: n } = points;
  const spread = DEVIATIONS * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? 0;
  return {
    per: median(slopes),
    least: at((slopes.length - spread) / 2 - 1),
    most: at((slopes.length + spread) / 2),
  };
}
