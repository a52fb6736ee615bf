/** A waiting line in which owners take turns, so that whoever brings many keeps nobody else waiting. */
export interface FairLine<T> {
  /** False, and not let in, where this owner or all together have as many in it as may be. */
  join(owner: string, item: T): boolean;
  /** Who is next; undefined when nobody waits. */
  next(): T | undefined;
}

/** @param most how many may wait of one owner, and of all together */
export function createFairLine<T>(most: { readonly ofOne: number; readonly ofAll: number }): FairLine<T> {
  /** In the order of their turns. */
  const owners = new Map<string, T[]>();
  let length = 0;
  return {
    join(owner, item) {
      const own = owners.get(owner) ?? [];
      if (own.length >= most.ofOne || length >= most.ofAll) return false;
      own.push(item);
      owners.set(owner, own);
      length += 1;
      return true;
    },
    next() {
      const [first] = owners;
      if (!first) return undefined;
      const [owner, own] = first;
      const item = own.shift();
      length -= 1;
      owners.delete(owner);
      // Behind all others.
      if (own.length > 0) owners.set(owner, own);
      return item;
    },
  };
}
