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
const MAX_ERROR_URLS = 100;
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
    for (const { errorUrls, errorCode } of sources) {
      const urls = byCode.get(errorCode) ?? new Set();
      byCode.set(errorCode, urls);
      const some = errorUrls.slice(0, left);
      left -= some.length;
      for (const url of some) urls.add(url);
    }
    const macros = kioskMacros(kiosk);
    const found = [...byCode].map(([errorCode, urls]) => ({ errorUrls: [...urls], errorCode }));
    for (const { errorUrls, errorCode } of firstErrorUrls(found, log))
      beacons.fire(null, 'error', errorUrls, { errorCode, macros });
  };
}

/** The sources with their first URLs, at most 100 in all, and without those that have none; logs if URLs are left out. */
export function firstErrorUrls<S extends DeadEnd>(sources: readonly S[], log: Log): readonly S[] {
  let left = MAX_ERROR_URLS;
  let isCut = false;
  const first: S[] = [];
  for (const source of sources) {
    const errorUrls = source.errorUrls.slice(0, left);
    isCut ||= errorUrls.length < source.errorUrls.length;
    left -= errorUrls.length;
    if (errorUrls.length > 0) first.push({ ...source, errorUrls });
  }
  if (isCut)
    log.warn('an answer has many errors; no further error URLs of it are called', { told: MAX_ERROR_URLS });
  return first;
}
