import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { MAX_PAUSE_MINUTES } from '../../shared/staff';
import type { Schedule } from '../service/schedule';
import { createWholeFile } from '../whole-file';

const MINUTE_MS = 60_000;

const Kept = z.object({
  version: z.literal(1),
  minutes: z.int().min(1).max(MAX_PAUSE_MINUTES),
  /** When it ends, ms since the epoch. */
  until: z.number(),
});

/** The pause for maintenance: at most one, which ends by itself and survives restarts. */
export interface Maintenance {
  /** When it ends, ms since the epoch by the clock that decides; null: there is none. */
  until(): number | null;
  /** Replaces a running one. Resolves when it is stored, or could not be. */
  begin(minutes: number): Promise<void>;
  end(): Promise<void>;
  /** Calls the listener at every change. */
  onChange(listener: () => void): void;
}

/**
 * After a restart a pause never lasts longer than it was set for, even if the clock
 * was set back.
 */
export async function openMaintenance(
  path: string,
  { clock, schedule, log }: { clock: Clock; schedule: Schedule; log: Log },
): Promise<Maintenance> {
  const file = createWholeFile(path, 0o600);
  let present: { readonly until: number; readonly cancel: () => void } | null = null;
  let listener = () => {};

  function last(ms: number): void {
    present?.cancel();
    present = { until: clock.now() + ms, cancel: schedule(ms, () => void end()) };
  }

  async function end(): Promise<void> {
    if (!present) return;
    present.cancel();
    present = null;
    listener();
    await file
      .remove()
      .catch((fault: unknown) =>
        log.error('the file of a pause that is over could not be removed', { fault }),
      );
  }

  const kept = await readKept(path);
  const left = kept ? Math.min(kept.until - clock.now(), kept.minutes * MINUTE_MS) : 0;
  if (left > 0) last(left);
  else if (kept) await file.remove().catch(() => undefined);

  return {
    until: () => present?.until ?? null,
    async begin(minutes) {
      const lasts = minutes * MINUTE_MS;
      last(lasts);
      listener();
      const note = { version: 1, minutes, until: clock.now() + lasts };
      await file
        .write(`${JSON.stringify(note)}\n`)
        .catch((fault: unknown) => log.error('a pause will not outlive a restart', { fault }));
    },
    end,
    onChange(next) {
      listener = next;
    },
  };
}

async function readKept(path: string): Promise<z.infer<typeof Kept> | null> {
  try {
    return Kept.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
