import type { MediaCache } from '../media/media-cache';
import { problemAdvice } from '../media/media-problem';
import type { Native } from '../playback/native';
import type { Books } from '../records/books';
import { type PointsValue, pointsValue } from '../service/native/points';
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

/** The media cache's section of the status: what concerns it as a whole first, then single files. */
export function mediaStatus(media: MediaCache): StatusSections['media'] {
  const conditions = media.conditions().map(({ code, message, advice }) => `${code}: ${message} ${advice}`);
  const problems = media
    .problems()
    // A condition says that, once for all of them.
    .filter(({ code }) => code !== 'no-room')
    .map(({ url, code, detail }) => `${withoutSecrets(url)}: ${code}: ${detail}. ${problemAdvice(code)}`);
  return { ...media.usage(), problems: [...conditions, ...problems].slice(0, MAX_PROBLEMS) };
}

/** The native ads' section of the status: what is held, and what it pays. */
export function nativeStatus(native: Native): StatusSections['native'] {
  const { held, reachable, lastResult } = native.state();
  const ads = native.held().map(({ instance, meta }) => ({
    instance,
    campaignId: meta.campaignId,
    revenueModel: meta.revenueModel,
    payout: payoutWords(pointsValue(meta.points, meta.revenueModel)),
  }));
  return { held, reachable, lastResult, ads: ads.slice(0, 20) };
}

function payoutWords(value: PointsValue | null): string | null {
  switch (value?.kind) {
    case undefined:
      return null;
    case 'ask-provider':
      return "0 points: ask the provider's team";
    case 'unknown-model':
      return 'points without a revenue model this kiosk knows';
    case 'payout': {
      const { count, event } = value.per;
      return `${value.usd} USD per ${count === 1 ? event : `${count} ${event}s`}`;
    }
  }
}
