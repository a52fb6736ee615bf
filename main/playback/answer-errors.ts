import type { Log } from '../../shared/log';
import type { UrlBeacons } from '../beacons/outbox';
import type { ReadingError } from '../reading/reading';
import type { Unreadable } from '../service/ads-reading/vast-document';
import { VAST_ERROR } from '../service/ads-reading/vast-document';
import type { ResolvedAds } from '../service/ads-reading/wrappers';

/** Error URLs of one answer that are told; the rest of a playlist that is wrong as a whole says nothing new. */
const MOST_TOLD = 100;
/** Those that are looked at, repeats included: millions of them would hold main (rule 31). */
const MOST_LOOKED_AT = 1_000;

/**
 * Tells the error URLs of what an answer holds and nobody can play (rule 1):
 * rejected ads, unresolved wrappers and what else failed behind wrappers with
 * their VAST error codes, and the root's own where there is no ad at all. Each URL once for each code, at most
 * 100 of an answer. To be called once per answer, of the playlist or online; a
 * document that cannot be read has none. Never throws.
 */
export function tellAnswerErrors(
  beacons: Pick<UrlBeacons, 'fire'>,
  log: Log,
): (reading: ResolvedAds | Unreadable | ReadingError) => void {
  return (reading) => {
    if (reading.kind === 'unreadable') return;
    const { ads, rejected, deadEnds } = reading;
    const isEmpty = ads.length === 0 && rejected.length === 0;
    const sources = isEmpty
      ? [{ errorUrls: reading.errorUrls, errorCode: VAST_ERROR.noAd }]
      : [...rejected, ...deadEnds];
    const byCode = new Map<number, Set<string>>();
    let left = MOST_LOOKED_AT;
    let told = 0;
    let notTold = 0;
    for (const { errorUrls, errorCode } of sources) {
      const urls = byCode.get(errorCode) ?? new Set();
      byCode.set(errorCode, urls);
      const looked = errorUrls.slice(0, left);
      left -= looked.length;
      notTold += errorUrls.length - looked.length;
      for (const url of looked) {
        if (urls.has(url)) continue;
        if (told === MOST_TOLD) {
          notTold += 1;
          continue;
        }
        urls.add(url);
        told += 1;
      }
    }
    for (const [errorCode, urls] of byCode) beacons.fire(null, 'error', [...urls], errorCode);
    if (notTold > 0) log.warn('not all error URLs of an answer are told', { told, notTold });
  };
}
