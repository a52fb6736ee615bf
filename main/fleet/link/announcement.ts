import { z } from 'zod';
import type { Clock } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { Announcement } from '../../../shared/stage';
import { openKeptUntil } from '../../kept-until';
import type { Schedule } from '../../schedule';

/** Longest duration of an announcement, and its duration if the command gives none, ms. */
export const LONGEST_ANNOUNCEMENT_MS = 86_400_000;

const Kept = z.object({
  version: z.literal(1),
  announcement: Announcement,
  /** Its whole duration in ms, and its end in ms since the epoch. */
  lasts: z.number().positive().max(LONGEST_ANNOUNCEMENT_MS),
  until: z.number(),
});

/** The announcement over the ads: at most one, which ends by itself and survives restarts. */
export interface AnnouncementStore {
  current(): (Announcement & { readonly until: number }) | null;
  /** Replaces a running one. Resolves when it is stored; if it cannot be stored, it is shown all the same. */
  begin(announcement: Announcement, ms: number): Promise<void>;
  end(): Promise<void>;
  /** Called at every change. */
  onChange(listener: () => void): void;
}

export async function openAnnouncement(
  path: string,
  parts: { readonly clock: Clock; readonly schedule: Schedule; readonly log: Log },
): Promise<AnnouncementStore> {
  const kept = await openKeptUntil<Announcement>(
    {
      path,
      name: 'an announcement',
      write: ({ value: announcement, lasts, until }) => ({ version: 1, announcement, lasts, until }),
      read(json) {
        const { announcement, lasts, until } = Kept.parse(json);
        return { value: announcement, lasts, until };
      },
    },
    parts,
  );
  return {
    current() {
      const shown = kept.current();
      return shown && { ...shown.value, until: shown.until };
    },
    begin: (announcement, ms) => kept.begin(announcement, Math.min(ms, LONGEST_ANNOUNCEMENT_MS)),
    end: kept.end,
    onChange: kept.onChange,
  };
}
