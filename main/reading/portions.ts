/** About how many bytes one portion may take: 2 to 4 ms to copy to another thread or process (rule 31). */
const PORTION_BYTES = 256 * 1024;

/**
 * Cuts a list into portions of about `PORTION_BYTES` and at most `mostItems` items, in order. Never splits an item: a
 * larger one becomes a portion of its own, so the reader must bound its size. Lazy: weighs one portion at a time.
 */
export function* portions<T>(
  items: readonly T[],
  mostItems = Number.POSITIVE_INFINITY,
): Generator<readonly T[], void, void> {
  let portion: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const itemBytes = weightOf(item);
    if (portion.length > 0 && (portion.length >= mostItems || bytes + itemBytes > PORTION_BYTES)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(item);
    bytes += itemBytes;
  }
  if (portion.length > 0) yield portion;
}

/** About how many bytes a value takes when it is copied. A value that is referenced twice counts twice. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 16;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) bytes += weightOf(inner);
  return bytes;
}
