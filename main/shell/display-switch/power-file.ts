import { z } from 'zod';
import { createWholeFile, readWholeJson } from '../../whole-file';
import { WAY_NAMES } from './power-machine';

/** The state that survives a restart: `display.json` in the data folder. Times are ms since the epoch. */
const StoredPower = z.object({
  version: z.literal(1),
  offBy: z.array(z.enum(WAY_NAMES)).max(WAY_NAMES.length),
  override: z
    .object({ on: z.boolean(), until: z.number().nullable(), hoursSaid: z.boolean().nullable() })
    .nullable(),
});
export type StoredPower = z.infer<typeof StoredPower>;

export interface PowerStore {
  /** Resolves to a state in which nothing is switched if none is stored or it cannot be read. */
  read(): Promise<StoredPower>;
  write(kept: StoredPower): Promise<void>;
}

export function powerFile(path: string): PowerStore {
  const file = createWholeFile(path, 0o600);
  return {
    read: async () => (await readWholeJson(path, StoredPower)) ?? { version: 1, offBy: [], override: null },
    write: (kept) => file.write(`${JSON.stringify(kept)}\n`),
  };
}
