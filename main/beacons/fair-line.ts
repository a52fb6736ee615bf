/**
 * A queue in which owners take turns: many items of one owner do not delay the others.
 * @param most limits for one owner and for all together
 */
export function createFairLine<T>(most: { readonly ofOne: number; readonly ofAll: number }) {
  /** Owners in the order of their turns. */
  const owners = new Map<string, T[]>();
  let length = 0;
  return {
    /** False if the owner's or the common limit is reached; then the item is not queued. */
    join(owner: string, item: T): boolean {
      const own = owners.get(owner) ?? [];
      if (own.length >= most.ofOne || length >= most.ofAll) return false;
      own.push(item);
      owners.set(owner, own);
      length += 1;
      return true;
    },
    /** The next item; undefined: none. */
    next(): T | undefined {
      const [first] = owners;
      if (!first) return undefined;
      const [owner, own] = first;
      const item = own.shift();
      length -= 1;
      owners.delete(owner);
      // Move the owner behind all others.
      if (own.length > 0) owners.set(owner, own);
      return item;
    },
  };
}
