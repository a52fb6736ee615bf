import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import { validUntil } from '../decisions/explain';
import type { ReadingError, Text } from '../reading/reading';
import type { AdsAnswer } from '../service/ads';
import { isSupported } from '../service/ads-reading/choose-media';
import type { RejectedAd } from '../service/ads-reading/read-ads';
import type { Unreadable } from '../service/ads-reading/vast-document';
import type { ResolvedAds } from '../service/ads-reading/wrappers';
import type { OfferVerdict } from '../service/playlist-refresh';
import type { ServerTime } from '../service/server-time';
import { failure } from '../service/service-error';
import type { Playlist } from './playlist';

/** Rejected ads of one answer that are logged by name. */
const MAX_REJECTED_LOGGED = 20;

/** Answers in a row that count as failed because the line was cut before their wrappers: a host may be dead for good. */
const MAX_CUT_OFF = 3;

/** Codes of well-formed documents that exceed what one answer may hold. */
const TOO_MUCH: ReadonlySet<string> = new Set(['too-large', 'too-many-ads', 'too-much-targeting']);

/** The code of the error that an unreadable ads document is. */
export const unreadableCode = ({ code }: Unreadable | ReadingError) =>
  TOO_MUCH.has(code) ? 'too-large' : 'malformed';

export interface PlaylistAnswersParts extends Pick<Basics, 'clock' | 'log'> {
  readonly read: (document: Text, leftMs: number) => Promise<ResolvedAds | Unreadable | ReadingError>;
  readonly playlist: Playlist;
  /** Host of the ads service, for error messages. */
  readonly host: string;
  /**
   * Receives the service's time, from an answer that is proven to be its own (rule 10); null: it told none. Resolves
   * when the clock goes by it.
   */
  readonly trust: (time: ServerTime | null) => Promise<void>;
  /** An answer with ads came, of which these are rejected. */
  readonly onRead: (rejected: readonly RejectedAd[]) => void;
  readonly onNoFill: () => void;
}

/** Whether an ad of an answer that came at this time (ms since the epoch) can be played here, once its file is fetched. */
export const isPlayable = (ad: Ad, at: number): boolean => isSupported(ad) && validUntil(ad, null) >= at;

/** Why an answer is refused of which no ad is playable; it has at least one, read or rejected. */
export function nothingPlayable(ads: readonly Ad[], rejected: readonly RejectedAd[], at: number): string {
  const expired = ads.filter((ad) => validUntil(ad, null) < at).length;
  const [first] = rejected;
  const why = first === undefined ? '' : `, the first: ${first.code}, ${first.detail}`;
  const all = ads.length + rejected.length;
  return `none of its ${all} ads can be played here; expired: ${expired}, rejected: ${rejected.length}${why}`;
}

/** Handles the answers to the playlist request (rules 2 and 3). */
export function playlistAnswers(parts: PlaylistAnswersParts): (answer: AdsAnswer) => Promise<OfferVerdict> {
  const { clock, playlist } = parts;
  const refusedAnswer = (
    detail: string,
    code: 'malformed' | 'too-large' | 'truncated' = 'malformed',
  ): OfferVerdict => failure('playlist', code, { host: parts.host, detail });
  /** The rejected ads that were logged last. */
  let logged = '';
  /** How many answers in a row were cut off. */
  let cutOff = 0;
  return async (answer) => {
    if (answer.kind === 'document') {
      const reading = await parts.read(answer.text, answer.leftMs);
      if (reading.kind === 'unreadable') return refusedAnswer(reading.message, unreadableCode(reading));
      await parts.trust(answer.serverTime);
      cutOff = reading.isCutOff ? cutOff + 1 : 0;
      if (reading.isCutOff && cutOff <= MAX_CUT_OFF)
        return refusedAnswer('no document of its wrappers arrived', 'truncated');
      logRejected(reading.rejected);
      if (reading.ads.length === 0 && reading.rejected.length === 0) return noFill();
      parts.onRead(reading.rejected);
      // The service's validators say nothing about the documents behind wrappers: these are read again each time.
      const validators = reading.hasWrappers ? null : answer.validators;
      const receivedAt = clock.now();
      const verdict = await playlist.offer({
        ads: [...reading.ads],
        receivedAt,
        etag: validators?.etag ?? null,
        lastModified: validators?.lastModified ?? null,
      });
      if (verdict === 'accepted') return { kind: 'accepted' };
      return refusedAnswer(nothingPlayable(reading.ads, reading.rejected, receivedAt));
    }
    await parts.trust(answer.serverTime);
    if (answer.kind === 'no-fill') return noFill();
    await playlist.unchanged(clock.now());
    return { kind: 'accepted' };
  };

  /**
   * One line for each of the first ads, and one for all others: fifty thousand lines would block main for a second. None
   * while the same ads are rejected in answer after answer.
   */
  function logRejected(ads: readonly RejectedAd[]): void {
    const first = ads.slice(0, MAX_REJECTED_LOGGED).map(({ id, code, detail }) => ({ ad: id, code, detail }));
    const logging = JSON.stringify([ads.length, first]);
    if (logging === logged) return;
    logged = logging;
    for (const ad of first) parts.log.warn('an ad was rejected', ad);
    if (ads.length <= MAX_REJECTED_LOGGED) return;
    const counts: Partial<Record<RejectedAd['code'], number>> = {};
    for (const { code } of ads) counts[code] = (counts[code] ?? 0) + 1;
    parts.log.warn('more ads were rejected; they are not listed', { rejected: ads.length, ...counts });
  }

  function noFill(): OfferVerdict {
    parts.onNoFill();
    return { kind: 'no-fill' };
  }
}
