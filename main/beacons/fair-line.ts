/**
 * A queue in which owners take turns: many items of one owner do not delay the others. When it is full, owners may
 * still queue up to an equal share, so the items of others cannot keep them out, until it is twice as long.
 * @param most `ofOne`: limit for one owner; `ofAll`: once this many items wait, each owner gets only an equal share
 */
export function createFairLine<T>(most: { readonly ofOne: number; readonly ofAll: number }) {
  /** Owners in the order of their turns. */
  const owners = new Map<string, T[]>();
  let length = 0;
  return {
    /** False if the owner has reached its limit, or its share of a full queue; then the item is not queued. */
    join(owner: string, item: T): boolean {
      const own = owners.get(owner) ?? [];
      const share = length < most.ofAll ? most.ofOne : most.ofAll / (owners.size + 1);
      if (own.length >= share || length >= 2 * most.ofAll) return false;
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
      if (own.length > 0) owners.set(owner, own);
      return item;
    },
  };
}
