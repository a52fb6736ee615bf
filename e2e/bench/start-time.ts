import type { Colour } from '../two-creatives';
import type { DisplayWatch } from './display-watch';
import type { Program } from './electron-program';

const START_DEADLINE_MS = 60_000;

/** Time from the start of the process to the creative on the display, ms; then ends the program. */
export async function timeToCreative(
  watch: DisplayWatch,
  start: () => Program,
  isCreative: (colour: Colour) => boolean,
): Promise<number> {
  await watch.first((colour) => !isCreative(colour), 10_000);
  const startedAt = performance.now();
  const program = start();
  try {
    const seen = await watch.first(isCreative, START_DEADLINE_MS);
    return seen.at - startedAt;
  } finally {
    await program.end();
  }
}
