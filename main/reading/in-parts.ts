import { portions } from './portions';
import type { ReaderName } from './readers';

/** A result without its lists, and the lists in parts, each made when it is asked for. */
export interface Parted {
  readonly rest: unknown;
  readonly parts: Iterator<Part>;
}

export interface Part {
  readonly list: string;
  readonly items: readonly unknown[];
}

/**
 * Takes the named lists out of a result, in `portions`, so that copying
 * it to another thread does not block main. `joinPart` undoes it.
 */
export function inParts(result: unknown, lists: readonly string[]): Parted {
  if (typeof result !== 'object' || result === null) return { rest: result, parts: partsOf([]) };
  const taken = Object.entries(result).filter(
    ([name, value]) => lists.includes(name) && Array.isArray(value),
  );
  const emptied = taken.map(([name]) => [name, []]);
  return { rest: { ...result, ...Object.fromEntries(emptied) }, parts: partsOf(taken) };
}

function* partsOf(lists: readonly (readonly [string, readonly unknown[]])[]): Generator<Part, void, void> {
  for (const [list, items] of lists) for (const portion of portions(items)) yield { list, items: portion };
}

/** Puts a part back where it was. Parts come in their order. */
export function joinPart(rest: unknown, { list, items }: Part): void {
  const into: unknown = (rest as Record<string, unknown>)[list];
  if (Array.isArray(into)) for (const item of items) into.push(item);
}

/** From main to the worker. Content comes first, in pieces; main requests each part of the result. */
export type ToWorker =
  | { readonly kind: 'content'; readonly piece: string | Uint8Array }
  | { readonly kind: 'read'; readonly reader: ReaderName; readonly options: unknown }
  | { readonly kind: 'more' };

/** From the worker to main: the result without its lists, the lists in parts, the end. */
export type FromWorker =
  | { readonly kind: 'result'; readonly rest: unknown }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'end' };
