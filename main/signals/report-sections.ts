import { instant } from '../../shared/instant';
import type { Outbox } from '../beacons/outbox';
import type { Quarantine } from '../media/kept-quarantine';
import type { MediaCache } from '../media/media-cache';
import { problemAdvice } from '../media/media-problem';
import type { Native } from '../playback/native';
import type { Books } from '../records/books';
import type { Egress } from '../service/egress';
import { type PointsValue, pointsValue } from '../service/native/points';
import { MAX_PROBLEMS, type StatusSections } from './status';
import { type StatusBoard, withoutSecrets } from './status-board';

/** Tells the sections that are read when somebody asks. */
export function tellSections(
  board: StatusBoard,
  parts: {
    readonly environment: string;
    readonly books: Books;
    readonly media: MediaCache;
    readonly quarantine: Pick<Quarantine, 'all'>;
    readonly beacons: Pick<Outbox, 'counts'>;
    readonly native: Native | null;
    readonly egress: Pick<Egress, 'state'>;
  },
): void {
  board.tell({ kind: 'section', name: 'books', value: booksStatus(parts.environment, parts.books) });
  board.tell({ kind: 'section', name: 'media', value: mediaStatus(parts.media) });
  board.tell({ kind: 'section', name: 'quarantine', value: quarantineStatus(parts.quarantine) });
  board.tell({ kind: 'section', name: 'beacons', value: parts.beacons.counts() });
  board.tell({ kind: 'section', name: 'egress', value: parts.egress.state() });
  if (parts.native) board.tell({ kind: 'section', name: 'native', value: nativeStatus(parts.native) });
}

/** The books' section of the status. */
function booksStatus(environment: string, books: Books): StatusSections['books'] {
  const { unsettled, lostPlays, restoredFlights, restoredFromJournal, correctedFlights, restoredFrom } =
    books.report();
  const instantOrNull = (at: number | null) => (at === null ? null : instant(at));
  return {
    environment,
    plays: books.playCount(),
    unsettledAtStart: unsettled,
    lost: { plays: lostPlays, restoredFlights, restoredFromJournal, correctedFlights },
    restoredFrom: instantOrNull(restoredFrom),
    lastPlayAt: instantOrNull(books.lastPlayAt()),
  };
}

/** The media cache's section of the status: what concerns it as a whole first, then single files. */
function mediaStatus(media: MediaCache): StatusSections['media'] {
  const conditions = media.conditions().map(({ code, message, advice }) => `${code}: ${message} ${advice}`);
  const problems = media
    .problems()
    // A condition says that, once for all of them.
    .filter(({ code }) => code !== 'no-room')
    .map(({ url, code, detail }) => `${withoutSecrets(url)}: ${code}: ${detail}. ${problemAdvice(code)}`);
  return { ...media.usage(), problems: [...conditions, ...problems].slice(0, MAX_PROBLEMS) };
}

/** The creatives that are not shown because they did harm, the latest first. */
export function quarantineStatus(quarantine: Pick<Quarantine, 'all'>): StatusSections['quarantine'] {
  const latest = [...quarantine.all()].reverse().slice(0, MAX_PROBLEMS);
  return latest.map(({ name, sha256, cause, since, until }) => ({
    code: 'harmful',
    cause,
    creative: withoutSecrets(name),
    sha256,
    since: instant(since),
    until: instant(until),
    advice: problemAdvice('harmful'),
  }));
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
