import { z } from 'zod';
import { plain } from '../../../shared/plain';
import { Announcement } from '../../../shared/stage';
import { type LastingParts, openKeptUntil } from '../../kept-until';

/** Longest duration of an announcement, and its duration if the command gives none, ms. */
export const MAX_ANNOUNCEMENT_MS = 86_400_000;

const Kept = z.object({
  version: z.literal(1),
  announcement: Announcement,
  /** Its whole duration in ms, and its end in ms since the epoch. */
  lasts: z.number().positive().max(MAX_ANNOUNCEMENT_MS),
  until: plain.number,
});

export type AnnouncementStore = Awaited<ReturnType<typeof openAnnouncement>>;

/** The announcement over the ads: at most one, which ends by itself and survives restarts. */
export async function openAnnouncement(path: string, parts: LastingParts) {
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
    ...kept,
    current() {
      const shown = kept.current();
      return shown && { ...shown.value, until: shown.until };
    },
    begin: (announcement: Announcement, ms: number) =>
      kept.begin(announcement, Math.min(ms, MAX_ANNOUNCEMENT_MS)),
  };
}
