/** How long to wait between failing attempts, in ms. */
export interface BackOff {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Wait before the next attempt after `failures` (≥ 1) in a row: doubling, never
 * outside [minMs, maxMs], spread over the upper half of its span so that a
 * thousand kiosks that failed together do not come back together.
 * `random` gives numbers in [0, 1).
 */
export function backOffMs(failures: number, { minMs, maxMs }: BackOff, random: () => number): number {
  const span = Math.min(maxMs, minMs * 2 ** Math.min(Math.max(1, failures), 50));
  const shortest = Math.min(maxMs, Math.max(minMs, span / 2));
  return shortest + random() * (span - shortest);
}
