import { uptime as ofSystem } from 'node:os';

/** Seconds since the machine was switched on: rises whatever happens to the time of day. */
export const uptime: () => number = ofSystem;
