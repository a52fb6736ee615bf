import type { MediaCache } from '../media/media-cache';
import type { Books } from '../records/books';
import { MAX_PROBLEMS, type StatusSections } from './status';
import { withoutSecrets } from './status-board';

/** The books' section of the status. */
export function booksStatus(environment: string, books: Books): StatusSections['books'] {
  const { unsettled, lostPlays, restoredFlights, restoredFromJournal, correctedFlights, restoredFrom } =
    books.report();
  const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    environment,
    plays: books.playCount(),
    unsettledAtStart: unsettled,
    lost: { plays: lostPlays, restoredFlights, restoredFromJournal, correctedFlights },
    restoredFrom: instant(restoredFrom),
    lastPlayAt: instant(books.lastPlayAt()),
  };
}

/** The media cache's section of the status. */
export function mediaStatus(media: MediaCache): StatusSections['media'] {
  const problems = media
    .problems()
    .map(({ url, code, detail }) => `${withoutSecrets(url)}: ${code}: ${detail}`);
  return { ...media.usage(), freeBytes: null, problems: problems.slice(0, MAX_PROBLEMS) };
}
