import { sharedLookup } from './bounded-lookup';
import type { Lookup } from './fence';

/** The system's resolver, hosts file included; loaded at its first use. It holds a thread until it has an answer. */
export const systemLookup: Lookup = sharedLookup(async (name) =>
  (await import('node:dns/promises')).lookup(name, { all: true }),
);
