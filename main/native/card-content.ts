import { createHash } from 'node:crypto';
import type { MediaFile } from '../../shared/ad';
import {
  CARD_PICTURES,
  CARD_WORDS,
  type NativeAd,
  type NativeAssets,
  type NativeCardContent,
  type NativePicture,
} from '../../shared/native';
import { chooseMedia, type ScreenSize } from '../service/ads-reading/choose-media';
import { clickTarget, linkTarget } from './link-target';

/** Assumed size of a banner of markup without a stated size: the usual shape of native ads. */
const USUAL_FRAME = { width: 1200, height: 627 };
/** Assumed size of a video without a stated size. */
const USUAL_VIDEO = { width: 1920, height: 1080 };

/** The `media://` address of a verified file; null where it is missing or broken. */
type LocalUrl = (url: string) => string | null;

/** What can fill the picture area of a card: the first that the ad has and that is on disk. */
type PictureSource =
  | { readonly kind: 'video'; readonly files: readonly MediaFile[] }
  | { readonly kind: 'html'; readonly width: number; readonly height: number }
  | { readonly kind: 'image'; readonly picture: NativePicture };

/**
 * Every file the card can use, most important first: to be fetched, verified and
 * shown as `media://` (rule 13).
 */
export function cardMedia(ad: NativeAd, screen: ScreenSize): readonly string[] {
  const urls = [
    ...pictureSources(ad, screen).flatMap((source) =>
      source.kind === 'video'
        ? source.files.slice(0, 1).map(({ url }) => url)
        : source.kind === 'image'
          ? [source.picture.url]
          : [],
    ),
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
  for (const source of pictureSources(ad, screen)) {
    if (source.kind === 'html') return `htmlbanner:sha256-${bannerHash(ad)}`;
    const urls = source.kind === 'video' ? source.files.map(({ url }) => url) : [source.picture.url];
    const url = urls.find(isThere);
    if (url !== undefined) return url;
  }
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

/** Leaves out pages (text/html): a video frame cannot show them. */
const videoFiles = (video: Parameters<typeof chooseMedia>[0], screen: ScreenSize) =>
  chooseMedia(video, screen, (_file, type) => type !== 'text/html');

/** The video file that the card's video frame is for, or null: the first choice for this screen that is on disk. */
export function cardVideo(ad: NativeAd, screen: ScreenSize, localUrl: LocalUrl): string | null {
  if (ad.assets.video === null) return null;
  return videoFiles(ad.assets.video, screen).find(({ url }) => localUrl(url) !== null)?.url ?? null;
}

/**
 * Video and markup come first. A standard banner contains its own text, so it comes after a plain banner if
 * the ad has text.
 */
function pictureSources({ assets }: NativeAd, screen: ScreenSize): readonly PictureSource[] {
  const { video, htmlBanner, banner, standardBanner, title, description } = assets;
  const hasWords = title !== null || description !== null;
  const pictures = hasWords ? [banner, standardBanner] : [standardBanner, banner];
  const files = video === null ? [] : videoFiles(video, screen);
  const sources: ReadonlyArray<PictureSource | null> = [
    files.length === 0 ? null : { kind: 'video', files },
    htmlBanner && {
      kind: 'html',
      width: htmlBanner.width ?? USUAL_FRAME.width,
      height: htmlBanner.height ?? USUAL_FRAME.height,
    },
    ...pictures.map((picture) => picture && { kind: 'image' as const, picture }),
  ];
  return sources.filter((source) => source !== null);
}

function shownPicture(ad: NativeAd, screen: ScreenSize, localUrl: LocalUrl): NativeCardContent['picture'] {
  for (const source of pictureSources(ad, screen)) {
    if (source.kind === 'html') return source;
    if (source.kind === 'video') {
      const file = source.files.find(({ url }) => localUrl(url) !== null);
      if (file === undefined) continue;
      return {
        kind: 'video',
        width: file.width ?? USUAL_VIDEO.width,
        height: file.height ?? USUAL_VIDEO.height,
      };
    }
    const url = localUrl(source.picture.url);
    if (url !== null) {
      return { kind: 'image', url, width: source.picture.width, height: source.picture.height };
    }
  }
  return null;
}
