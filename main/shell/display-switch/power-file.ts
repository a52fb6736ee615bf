import { z } from 'zod';
import { createWholeFile, readWholeJson } from '../../whole-file';
import { WAY_NAMES } from './power-machine';
import { Override } from './power-plan';

/** The state that survives a restart: `display.json` in the data folder. Times are ms since the epoch. */
const StoredPower = z.object({
  version: z.literal(1),
  offBy: z.array(z.enum(WAY_NAMES)).max(WAY_NAMES.length),
  override: Override.nullable(),
});
export type StoredPower = z.infer<typeof StoredPower>;

export type PowerStore = ReturnType<typeof powerFile>;

export function powerFile(path: string) {
  const file = createWholeFile(path, 0o600);
  return {
    /** Resolves to a state in which nothing is switched if none is stored or it cannot be read. */
    read: async (): Promise<StoredPower> =>
      (await readWholeJson(path, StoredPower)) ?? { version: 1, offBy: [], override: null },
    write: (kept: StoredPower) => file.write(`${JSON.stringify(kept)}\n`),
  };
}
