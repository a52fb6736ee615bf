import { lookup } from 'node:dns/promises';
import { sharedLookup } from './bounded-lookup';
import type { Lookup } from './fence';

/** The system's resolver, hosts file included. It holds a thread until it has an answer. */
export const systemLookup: Lookup = sharedLookup((name) => lookup(name, { all: true }));
