import type { Lookup } from './fence';

/** The system's resolver, hosts file included; loaded at its first use. */
export const systemLookup: Lookup = async (name) =>
  (await import('node:dns/promises')).lookup(name, { all: true });
