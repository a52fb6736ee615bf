import type { Ad } from '../../shared/ad';
import type { Log } from '../../shared/log';
import { type KioskFacts, kioskMacros } from '../beacons/ad-macros';
import type { UrlBeacons } from '../beacons/outbox';
import type { ReadingError } from '../reading/reading';
import type { Unreadable } from '../service/ads-reading/vast-document';
import { VAST_ERROR } from '../service/ads-reading/vast-document';
import type { DeadEnd, ResolvedAds } from '../service/ads-reading/wrappers';

const noMedia = ({ errors }: Ad) => ({ errorUrls: errors, errorCode: VAST_ERROR.noMedia });

/** Most error URLs that are fired for one answer; in a playlist that is wrong as a whole, more add no information. */
export const MAX_ERROR_URLS = 100;
/** Most error URLs that are checked, repeats included: millions of them would block main (rule 31). */
const MAX_LOOKED_AT = 1_000;

/**
 * Fires the error URLs of everything in an answer that cannot be played (rule 1): rejected ads, unresolved wrappers,
 * other errors behind wrappers, and ads without a file for this kiosk, with their VAST error codes, or the document's own
 * URLs when it has no ad at all. Call it once per answer, of the playlist or online; it does nothing for an unreadable
 * document.
 * @param canBeShown whether this kiosk could show one of the ad's files; called for each ad, so it must be quick
 */
export function reportAnswerErrors(
  callErrors: ReturnType<typeof errorUrlCaller>,
  canBeShown: (ad: Ad) => boolean,
): (reading: ResolvedAds | Unreadable | ReadingError) => void {
  return (reading) => {
    if (reading.kind === 'unreadable') return;
    const { ads, rejected, deadEnds } = reading;
    const isEmpty = ads.length === 0 && rejected.length === 0;
    callErrors(
      isEmpty
        ? [{ errorUrls: reading.errorUrls, errorCode: VAST_ERROR.noAd }]
        : [...rejected, ...deadEnds, ...ads.filter((ad) => !canBeShown(ad)).map(noMedia)],
    );
  };
}

/**
 * Returns a function that fires the error URLs of ads that cannot be played: each URL once per code, at most 100 URLs in
 * a call. Never throws.
 * @param kiosk for macros of the URLs
 */
export function errorUrlCaller(
  beacons: Pick<UrlBeacons, 'fire'>,
  kiosk: KioskFacts,
  log: Log,
): (sources: readonly DeadEnd[]) => void {
  return (sources) => {
    const byCode = new Map<number, Set<string>>();
    let left = MAX_LOOKED_AT;
    let told = 0;
    for (const { errorUrls, errorCode } of sources) {
      const urls = byCode.get(errorCode) ?? new Set();
      byCode.set(errorCode, urls);
      for (const url of errorUrls.slice(0, left)) {
        left -= 1;
        if (told === MAX_ERROR_URLS || urls.has(url)) continue;
        urls.add(url);
        told += 1;
      }
    }
    const macros = kioskMacros(kiosk);
    for (const [errorCode, urls] of byCode) beacons.fire(null, 'error', [...urls], { errorCode, macros });
    if (told === MAX_ERROR_URLS)
      log.warn('an answer has many errors; no further error URLs of it are called', { told });
  };
}
