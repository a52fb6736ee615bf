import { z } from 'zod';
import { MINUTE_MS } from '../../shared/clock';
import { plain } from '../../shared/plain';
import { MAX_PAUSE_MINUTES } from '../../shared/staff';
import { type LastingParts, openKeptUntil } from '../kept-until';

const Kept = z.object({
  version: z.literal(1),
  minutes: z.int().min(1).max(MAX_PAUSE_MINUTES),
  /** When it ends, ms since the epoch. */
  until: plain.number,
});

/** The pause for maintenance: at most one, which ends by itself and survives restarts. */
export type Maintenance = Awaited<ReturnType<typeof openMaintenance>>;

/** Opens the pause that is stored in the file `path`, if one still lasts. */
export async function openMaintenance(path: string, parts: LastingParts) {
  const pause = await openKeptUntil<number>(
    {
      path,
      name: 'a pause',
      write: ({ value: minutes, until }) => ({ version: 1, minutes, until }),
      read(json) {
        const { minutes, until } = Kept.parse(json);
        return { value: minutes, lasts: minutes * MINUTE_MS, until };
      },
    },
    parts,
  );
  return {
    /** When it ends, ms since the epoch by the decided clock; null: there is none. */
    until: () => pause.current()?.until ?? null,
    /** Replaces a running pause. Resolves when it is stored or could not be stored. */
    begin: (minutes: number) => pause.begin(minutes, minutes * MINUTE_MS),
    end: pause.end,
    onChange: pause.onChange,
  };
}

/** Holds the stage while there is a pause (rule 14). */
export function holdInPause(
  { until, onChange }: Pick<Maintenance, 'until' | 'onChange'>,
  hold: (reason: 'maintenance', holds: boolean) => void,
): void {
  const look = () => hold('maintenance', until() !== null);
  onChange(look);
  look();
}
