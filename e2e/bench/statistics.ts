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
  return (
    (percentile(samples, 0.5) + percentile(samples, (Math.floor(samples.length / 2) + 1) / samples.length)) /
    2
  );
}

/**
 * Median of the ratios of samples taken side by side: what drifts over a run
 * (heat, neighbours on the machine) hits both of a pair alike.
 */
export function pairedRatio(samples: readonly number[], baseline: readonly number[]): number {
  if (samples.length !== baseline.length) throw new Error('every sample needs its baseline');
  return median(samples.map((sample, index) => sample / (baseline[index] ?? Number.NaN)));
}

/** Runs `a` and `b` in turn, `rounds` times, so that both see the same moments of the machine. */
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

/** Rise of the line through points of (x, y) that leaves the least squares. */
export function slopeOf(points: ReadonlyArray<readonly [x: number, y: number]>): number {
  const meanOf = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanX, meanY] = [meanOf(0), meanOf(1)];
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return above / below;
}
