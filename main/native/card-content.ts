import { createHash } from 'node:crypto';
import type { LinearCreative } from '../../shared/ad';
import {
  CARD_PICTURES,
  CARD_WORDS,
  type NativeAd,
  type NativeAssets,
  type NativeCardContent,
} from '../../shared/native';
import { chooseMedia, isSameSize, mediaTypeOf, type ScreenSize } from '../service/ads-reading/choose-media';
import { VAST_ERROR } from '../service/ads-reading/vast-document';
import { clickTarget, linkTarget } from './link-target';

/** Assumed size of a banner of markup without a stated size: the usual shape of native ads. */
const USUAL_FRAME = { width: 1200, height: 627 };
/** Assumed size of a video without a stated size. */
const USUAL_VIDEO = { width: 1920, height: 1080 };
/** Types that the frame of a card plays for sure: no picture, no page, and no MOV, which may hold any codec. */
const FRAMED_TYPES: ReadonlySet<string | null> = new Set(['video/mp4', 'video/webm']);

/** The `media://` address of a verified file; null where it is missing or broken. */
type LocalUrl = (url: string) => string | null;

/** What can fill the picture area of a card, best first: the first that is on disk does. */
interface PictureSource {
  /** Its address; null: markup, which needs no file. */
  readonly file: string | null;
  /** As the card shows it, but an image with the address that the ad names. */
  readonly picture: NonNullable<NativeCardContent['picture']>;
}

/**
 * Every file the card can use, most important first: to be fetched, verified and
 * shown as `media://` (rule 13).
 */
export function cardMedia(ad: NativeAd, screen: ScreenSize): readonly string[] {
  // Of several files of a video only the first choice is fetched.
  const sources = pictureSources(ad, screen).filter(
    ({ picture }, index) => picture.kind !== 'video' || index === 0,
  );
  const urls = [
    ...sources.map(({ file }) => file),
    ...CARD_PICTURES.map((name) => ad.assets[name]?.url),
    ad.meta.contentInfo?.icon,
  ];
  return [...new Set(urls.filter((url) => typeof url === 'string'))];
}

/**
 * What the kiosk window draws of an ad, or null while it has nothing to show. Pictures
 * that are missing or broken are left out, and the card closes the gap.
 */
export function cardContent(ad: NativeAd, screen: ScreenSize, localUrl: LocalUrl): NativeCardContent | null {
  const { title, description, callToAction } = ad.assets;
  const { contentInfo } = ad.meta;
  const picture = shownPicture(ad, screen, localUrl);
  if (picture === null && title === null && description === null) return null;
  const leadsSomewhere = clickTarget(ad) !== null;
  return {
    ...wordsOf(ad),
    ...picturesOf(ad, localUrl),
    instance: ad.instance,
    picture,
    callToAction: !leadsSomewhere
      ? null
      : callToAction === null
        ? { kind: 'default' }
        : { kind: 'text', text: callToAction },
    contentInfo:
      contentInfo === null
        ? null
        : {
            text: contentInfo.text,
            icon: contentInfo.icon === null ? null : localUrl(contentInfo.icon),
            tappable: linkTarget(contentInfo.link) !== null,
          },
  };
}

const wordsOf = ({ assets }: NativeAd) =>
  Object.fromEntries(CARD_WORDS.map((name) => [name, assets[name]])) as Pick<
    NativeAssets,
    (typeof CARD_WORDS)[number]
  >;

/** The local addresses of the small pictures; null for those not on disk. */
const picturesOf = ({ assets }: NativeAd, localUrl: LocalUrl) =>
  Object.fromEntries(
    CARD_PICTURES.map((name) => [name, assets[name] === null ? null : localUrl(assets[name].url)]),
  ) as Record<(typeof CARD_PICTURES)[number], string | null>;

/**
 * What the card shows, as a play record names it: the file of its picture area, the digest
 * of its markup, else its icon; empty where it has only words.
 */
export function shownFile(ad: NativeAd, screen: ScreenSize, isThere: (url: string) => boolean): string {
  const source = firstThere(pictureSources(ad, screen), isThere);
  if (source !== undefined) return source.file ?? `htmlbanner:sha256-${bannerHash(ad)}`;
  const icon = ad.assets.icon?.url;
  return icon !== undefined && isThere(icon) ? icon : '';
}

const hashes = new WeakMap<NativeAd, string>();

/** SHA-256 of a banner's markup, in hex; null: the ad has none. */
export function bannerHash(ad: NativeAd): string | null {
  const { htmlBanner } = ad.assets;
  if (!htmlBanner) return null;
  const hash = hashes.get(ad) ?? createHash('sha256').update(htmlBanner.html).digest('hex');
  hashes.set(ad, hash);
  return hash;
}

/**
 * The VAST error code of an ad whose video is not shown because no file of it is on disk.
 * @param codeOf of the file that is missing; undefined: it is not the file's fault, so nothing is to be reported
 */
export function noVideoCode(
  ad: NativeAd,
  screen: ScreenSize,
  codeOf: (url: string) => number | undefined,
): number | undefined {
  const file = videoSources(ad, screen)[0]?.file;
  return file ? codeOf(file) : VAST_ERROR.noMedia;
}

const rankedVideos = new WeakMap<LinearCreative, { screen: ScreenSize; sources: readonly PictureSource[] }>();

/**
 * Remembered, because the files of all ads at hand are asked for again and again, and to rank hundreds of them takes
 * milliseconds (rule 31).
 */
function videoSources({ assets: { video } }: NativeAd, screen: ScreenSize): readonly PictureSource[] {
  if (video === null) return [];
  const known = rankedVideos.get(video);
  if (known && isSameSize(known.screen, screen)) return known.sources;
  const files = chooseMedia(video, screen).filter((file) => FRAMED_TYPES.has(mediaTypeOf(file)));
  const sources = files.map(({ url, width, height }) => {
    const [wide, high] = [width ?? USUAL_VIDEO.width, height ?? USUAL_VIDEO.height];
    return { file: url, picture: { kind: 'video' as const, width: wide, height: high } };
  });
  rankedVideos.set(video, { screen: { ...screen }, sources });
  return sources;
}

/**
 * Video and markup come first. A standard banner contains its own text, so it comes after a plain banner if
 * the ad has text.
 */
function pictureSources(ad: NativeAd, screen: ScreenSize): readonly PictureSource[] {
  const { htmlBanner, banner, standardBanner, title, description } = ad.assets;
  const hasWords = title !== null || description !== null;
  const pictures = hasWords ? [banner, standardBanner] : [standardBanner, banner];
  const markup: PictureSource | null = htmlBanner && {
    file: null,
    picture: {
      kind: 'html',
      width: htmlBanner.width ?? USUAL_FRAME.width,
      height: htmlBanner.height ?? USUAL_FRAME.height,
    },
  };
  const images = pictures.map(
    (picture) => picture && { file: picture.url, picture: { kind: 'image' as const, ...picture } },
  );
  return [...videoSources(ad, screen), markup, ...images].filter((source) => source !== null);
}

const firstThere = (sources: readonly PictureSource[], isThere: (url: string) => boolean) =>
  sources.find(({ file }) => file === null || isThere(file));

function shownPicture(ad: NativeAd, screen: ScreenSize, localUrl: LocalUrl): NativeCardContent['picture'] {
  const shown = firstThere(pictureSources(ad, screen), (url) => localUrl(url) !== null);
  if (shown?.picture.kind !== 'image') return shown?.picture ?? null;
  return { ...shown.picture, url: localUrl(shown.picture.url) ?? '' };
}
