import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Announcement } from '../../../shared/announcement';
import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import type { Schedule } from '../../service/schedule';
import { createWholeFile } from '../../whole-file';

/** An announcement lasts no longer than this, and so long where nothing else was said, ms. */
export const LONGEST_ANNOUNCEMENT_MS = 86_400_000;

const Kept = z.object({
  version: z.literal(1),
  announcement: Announcement,
  /** How long it was to last when it began, and when it ends, ms since the epoch. */
  lasts: z.number().positive().max(LONGEST_ANNOUNCEMENT_MS),
  until: z.number(),
});

/** The message that lies over the ads: at most one, which ends by itself and survives restarts. */
export interface KeptAnnouncement {
  current(): (Announcement & { readonly until: number }) | null;
  /** Replaces a running one. Resolves when it is stored, or could not be: it is shown all the same. */
  begin(announcement: Announcement, ms: number): Promise<void>;
  end(): Promise<void>;
  /** Called at every change. */
  onChange(listener: () => void): void;
}

/** After a restart none lasts longer than it was to, even if the clock was set back. */
export async function openAnnouncement(
  path: string,
  { clock, schedule, log }: { readonly clock: Clock; readonly schedule: Schedule; readonly log: Log },
): Promise<KeptAnnouncement> {
  const file = createWholeFile(path, 0o600);
  const listeners = new Set<() => void>();
  let present: {
    readonly shown: Announcement & { readonly until: number };
    readonly cancel: () => void;
  } | null = null;
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function last(announcement: Announcement, ms: number): void {
    present?.cancel();
    // Timed by the monotonic clock: it ends though the clock may jump.
    const cancel = schedule(ms, () => void end());
    present = { shown: { ...announcement, until: clock.now() + ms }, cancel };
  }

  async function end(): Promise<void> {
    if (present === null) return;
    present.cancel();
    present = null;
    changed();
    await file
      .remove()
      .catch((error: unknown) => log.error('an announcement could not be forgotten', { error }));
  }

  const kept = await readKept(path);
  const left = kept === null ? 0 : Math.min(kept.until - clock.now(), kept.lasts);
  if (kept !== null && left > 0) last(kept.announcement, left);
  else if (kept !== null) await file.remove().catch(() => undefined);

  return {
    current: () => present?.shown ?? null,
    async begin(announcement, ms) {
      const lasts = Math.min(ms, LONGEST_ANNOUNCEMENT_MS);
      last(announcement, lasts);
      changed();
      await file
        .write(`${JSON.stringify({ version: 1, announcement, lasts, until: clock.now() + lasts })}\n`)
        .catch((error: unknown) => log.error('an announcement will not outlive a restart', { error }));
    },
    end,
    onChange: (listener) => void listeners.add(listener),
  };
}

async function readKept(path: string): Promise<z.infer<typeof Kept> | null> {
  try {
    return Kept.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
