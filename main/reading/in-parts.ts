/** About how many bytes one part may take: 2 to 4 ms to copy, so that nothing that plays waits for it. */
const PART_BYTES = 256 * 1024;

/** A result without its lists, and the lists in parts. */
export interface Parted {
  readonly rest: unknown;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly list: string;
  readonly items: readonly unknown[];
}

/**
 * Takes the named lists out of a result, in parts of about `PART_BYTES`, so that
 * copying it to another thread keeps nobody waiting. An item is never split: one
 * that is larger is a part of its own. `joinParts` undoes it.
 */
export function inParts(result: unknown, lists: readonly string[]): Parted {
  if (typeof result !== 'object' || result === null) return { rest: result, parts: [] };
  const rest: Record<string, unknown> = { ...result };
  const parts: Part[] = [];
  for (const list of lists) {
    const items = rest[list];
    if (!Array.isArray(items)) continue;
    rest[list] = [];
    parts.push(...portions(items).map((portion) => ({ list, items: portion })));
  }
  return { rest, parts };
}

/** Puts a part back where it was. Parts come in their order. */
export function joinPart(rest: unknown, { list, items }: Part): void {
  const into: unknown = (rest as Record<string, unknown>)[list];
  if (Array.isArray(into)) for (const item of items) into.push(item);
}

function portions(items: readonly unknown[]): unknown[][] {
  const found: unknown[][] = [];
  let portion: unknown[] = [];
  let bytes = 0;
  for (const item of items) {
    const itemBytes = weightOf(item);
    if (portion.length > 0 && bytes + itemBytes > PART_BYTES) {
      found.push(portion);
      portion = [];
      bytes = 0;
    }
    portion.push(item);
    bytes += itemBytes;
  }
  if (portion.length > 0) found.push(portion);
  return found;
}

/** About how many bytes a value takes when it is copied. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 16;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) bytes += weightOf(inner);
  return bytes;
}
