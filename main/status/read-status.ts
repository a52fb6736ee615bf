import type { Clock } from '../../shared/clock';
import type { StoredPlaylist } from '../../shared/records';
import type { Outbox } from '../beacons/outbox';
import type { Decider } from '../decisions/decider';
import type { Egress } from '../egress/egress';
import type { MediaCache } from '../media/media-cache';
import { problemWords } from '../media/media-problem';
import type { Quarantine } from '../media/quarantine-store';
import type { Native } from '../native/native';
import { payoutWords } from '../native/points';
import { type SlotsAheadParts, slotsAhead } from '../playback/slots-ahead';
import type { Books } from '../records/books';
import type { AccessTokens } from '../service/token';
import type { DisplayControl } from '../shell/display-switch/display-control';
import type { Signals } from '../signals/signals';
import type { Status } from './status';
import { type StatusBoard, type StatusRead, statusOf } from './status-board';
import { MAX_NATIVE_ADS, MAX_PROBLEMS, MAX_UPCOMING } from './status-bounds';

/** The parts that the rest of the status is read from. */
export interface StatusSources {
  readonly versions: Status['versions'];
  readonly clock: Pick<Clock, 'now'> & { systemNow(): number; lastTrustedAt(): number | null };
  readonly signals: Pick<Signals, 'ages'>;
  readonly memory: () => Status['memory'];
  /** By the system's clock, ms since the epoch. */
  readonly processStartedAt: () => number;
  /** Null without an account. */
  readonly tokens: Pick<AccessTokens, 'inUse'> | null;
  readonly environment: string;
  readonly books: Pick<Books, 'report' | 'playCount' | 'lastPlayAt'>;
  readonly media: Pick<MediaCache, 'conditions' | 'problems' | 'usage'>;
  readonly quarantine: Pick<Quarantine, 'all'>;
  readonly beacons: Pick<Outbox, 'counts'>;
  /** Null where native ads are off. */
  readonly native: Pick<Native, 'state' | 'held'> | null;
  readonly egress: Pick<Egress, 'state'>;
  readonly playlist: () => StoredPlaylist | null;
  readonly decider: Pick<Decider, 'tally'> & SlotsAheadParts['decider'];
  readonly playable: SlotsAheadParts['playable'];
  readonly usualMs: SlotsAheadParts['usualMs'];
  readonly restarts: () => Status['restarts'];
  readonly display: Pick<DisplayControl, 'power'>;
}

/** @param slots how many of the slots to come are worked out: each costs as much as a choice */
export type StatusReader = (slots?: number) => Status;

/** Returns a reader of the current status: the reported facts, and values read from the sources. */
export function statusReader(told: StatusBoard['told'], sources: StatusSources): StatusReader {
  const { clock, tokens, native, decider } = sources;
  return (slots = MAX_UPCOMING) => {
    const now = clock.now();
    const systemNow = clock.systemNow();
    const lastTrustedAt = clock.lastTrustedAt();
    const known = told();
    const token = tokens?.inUse() ?? null;
    const display = sources.display.power();
    // Where nothing runs the next slot begins at once.
    const from = Math.max(now, (known.now?.at ?? 0) + (known.now?.durationMs ?? 0));
    const read: StatusRead = {
      clock: {
        now,
        systemNow,
        correctionMs: now - systemNow,
        trusted: lastTrustedAt !== null,
        lastTrustedAt,
      },
      signals: sources.signals.ages(),
      memory: sources.memory(),
      versions: sources.versions,
      processStartedAt: sources.processStartedAt(),
      token: token && { ...token, expiresAt: now + token.expiresInMs },
      upcoming: slotsAhead(sources, from, known.next, slots),
      books: booksStatus(sources.environment, sources.books),
      media: mediaStatus(sources.media),
      cacheProblems: sources.media.conditions().map(({ code }) => code),
      quarantine: quarantineStatus(sources.quarantine),
      beacons: sources.beacons.counts(),
      ...(native && { native: nativeStatus(native) }),
      ...(display && { display }),
      egress: sources.egress.state(),
      playlistAt: sources.playlist()?.receivedAt ?? null,
      tally: decider.tally(now),
      restarts: sources.restarts(),
    };
    return statusOf(known, read);
  };
}

function booksStatus(environment: string, books: StatusSources['books']): Status['books'] {
  const { unsettled, lostPlays, restoredFlights, restoredFromJournal, correctedFlights, restoredFrom } =
    books.report();
  return {
    environment,
    plays: books.playCount(),
    unsettledAtStart: unsettled,
    lost: { plays: lostPlays, restoredFlights, restoredFromJournal, correctedFlights },
    restoredFrom,
    lastPlayAt: books.lastPlayAt(),
  };
}

/** Conditions of the whole cache come first, then problems of single files. */
function mediaStatus(media: StatusSources['media']): Status['media'] {
  const conditions = media.conditions().map(({ code, message, advice }) => `${code}: ${message} ${advice}`);
  const problems = media
    .problems()
    // A condition of the cache already reports it for all files.
    .filter(({ code }) => code !== 'no-room')
    .map((problem) => {
      const { file, advice } = problemWords(problem);
      return `${file}: ${problem.code}: ${problem.detail}. ${advice}`;
    });
  return { ...media.usage(), problems: [...conditions, ...problems].slice(0, MAX_PROBLEMS) };
}

/** The quarantined creatives, the latest first. */
export function quarantineStatus(quarantine: StatusSources['quarantine']): Status['quarantine'] {
  const latest = [...quarantine.all()].reverse().slice(0, MAX_PROBLEMS);
  return latest.map(({ name, sha256, cause, since, until }) => {
    const { file: creative, advice } = problemWords({ url: name, code: 'harmful' });
    return { code: 'harmful', cause, creative, sha256, since, until, advice };
  });
}

/** The held native ads and their payout. */
export function nativeStatus(native: NonNullable<StatusSources['native']>): NonNullable<Status['native']> {
  const { held, reachable, lastResult } = native.state();
  const ads = native.held().map(({ instance, meta }) => ({
    instance,
    campaignId: meta.campaignId,
    revenueModel: meta.revenueModel,
    payout: payoutWords(meta.points, meta.revenueModel),
  }));
  return { held, reachable, lastResult, ads: ads.slice(0, MAX_NATIVE_ADS) };
}
