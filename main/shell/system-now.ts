/** The machine's own clock, ms since the epoch: for what happens before there is another. */
export const systemNow: () => number = Date.now;
