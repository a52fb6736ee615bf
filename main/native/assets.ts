import type { NativeAssets, NativePicture } from '../../shared/native';
import { weightOf } from '../reading/portions';
import { readVast } from '../service/ads-reading/vast';
import type { Unreadable, VastDocument } from '../service/ads-reading/vast-document';
import {
  asObject,
  type JsonObject,
  lineOf,
  numberOf,
  pixelsOf,
  shownLineOf,
  typedItems,
  webAddressOf,
} from './typed-items';

/** The VAST of a `vast2` asset; `no-text`: there is none in it. */
export type VideoDocument = VastDocument | Unreadable | { readonly kind: 'no-text' };

export interface AssetsReading {
  readonly assets: NativeAssets;
  /** What could not be used, one short sentence each, without values. */
  readonly remarks: readonly string[];
  /** Every `vast2` asset in its order; `assets.video` is null until one of them was followed to its media. */
  readonly videos: readonly VideoDocument[];
}

const MAX_HTML = 512 * 1024;
/** UTF-16 code units, and ads: a `vast2` asset is one creative with alternatives, not a playlist. */
const VIDEO_LIMITS = { document: 1024 * 1024, ads: 50 };
/** Most `vast2` assets read per ad: it shows one video, the others are used if that one fails. */
const MAX_VIDEOS = 10;
/** Most bytes (approximately) of all of them: an ad is copied to main in one piece (rule 31). */
const MAX_VIDEO_WEIGHT = 512 * 1024;

/** The data of an asset, of any type; `fields` is empty if it is no object. */
interface AssetData {
  readonly data: unknown;
  readonly fields: JsonObject;
}

/**
 * The readers of all assets but the video, with their types in the answer. A reader returns null for an asset
 * that cannot be used.
 */
const READERS: {
  readonly [Name in Exclude<keyof NativeAssets, 'video'>]: readonly [
    type: string,
    read: (of: AssetData) => NativeAssets[Name],
  ];
} = {
  icon: ['icon', picture],
  banner: ['banner', picture],
  title: ['title', words(300)],
  description: ['description', words(2_000)],
  rating: ['rating', stars],
  callToAction: ['cta', words(80)],
  standardBanner: ['standardbanner', picture],
  htmlBanner: ['htmlbanner', htmlBanner],
};
type ReadAsset = keyof typeof READERS;
const NAMES = Object.keys(READERS) as ReadAsset[];
const NAME_OF_TYPE: ReadonlyMap<string, ReadAsset> = new Map(NAMES.map((name) => [READERS[name][0], name]));

/**
 * Reads the `assets` of an ad: the first usable one of each type. Types that this version does not know
 * (`custom_endcard`, `votes`, …) are skipped.
 */
export function readAssets(list: unknown): AssetsReading {
  const remarks: string[] = [];
  const videos: VideoDocument[] = [];
  const assets = Object.fromEntries([...NAMES, 'video'].map((name) => [name, null])) as Mutable<NativeAssets>;
  const keep = <Name extends ReadAsset>(name: Name, of: AssetData): void => {
    const [type, read] = READERS[name];
    const value = read(of);
    if (value === null) remarks.push(`asset ${type} cannot be used`);
    else if (assets[name] === null) (assets as Pick<Mutable<NativeAssets>, Name>)[name] = value;
  };
  let videoWeight = 0;
  const keepVideo = (video: VideoDocument): void => {
    const weight = weightOf(video);
    const isTooLarge = videoWeight + weight > MAX_VIDEO_WEIGHT;
    videos.push(isTooLarge ? TOO_LARGE : video);
    if (!isTooLarge) videoWeight += weight;
  };
  for (const { type, data } of typedItems(list)) {
    const fields = asObject(data) ?? {};
    const name = NAME_OF_TYPE.get(type);
    if (name !== undefined) keep(name, { data, fields });
    else if (type !== 'vast2') remarks.push(`asset type ${lineOf(type, 40) ?? '(empty)'} is unknown`);
    else if (videos.length < MAX_VIDEOS) keepVideo(readVideoDocument(fields.vast2 ?? fields.text ?? data));
    else remarks.push(`more than ${MAX_VIDEOS} assets vast2`);
  }
  return { assets, videos, remarks };
}

/** Reads the XML of a `vast2` asset up to the ad that will be its video. It needs no service metadata (rule 2). */
export function readVideoDocument(vast: unknown): VideoDocument {
  if (typeof vast !== 'string') return { kind: 'no-text' };
  // JSON can hold half a surrogate pair, which the XML parser would join with the next character.
  const document = readVast(vast.toWellFormed(), { extensionType: null, limits: VIDEO_LIMITS });
  if (document.kind === 'unreadable') return document;
  const first = document.ads.findIndex((ad) => ad.kind === 'inline' && ad.mediaFiles.length > 0);
  return first < 0 ? document : { ...document, ads: document.ads.slice(0, first + 1) };
}

const TOO_LARGE: VideoDocument = {
  kind: 'unreadable',
  code: 'too-large',
  message: `more than ${MAX_VIDEO_WEIGHT} bytes with the videos before it`,
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function picture({ fields }: AssetData): NativePicture | null {
  const url = webAddressOf(fields.url);
  return url === null ? null : { url, width: pixelsOf(fields.w), height: pixelsOf(fields.h) };
}

/** Text on one line. @param most characters that are kept; the card clamps them further */
function words(most: number) {
  return ({ data, fields }: AssetData) => shownLineOf(fields.text ?? data, most);
}

function htmlBanner({ fields }: AssetData): NativeAssets['htmlBanner'] {
  const { html } = fields;
  if (typeof html !== 'string' || html.trim() === '' || html.length > MAX_HTML) return null;
  return { html: html.toWellFormed(), width: pixelsOf(fields.w), height: pixelsOf(fields.h) };
}

/**
 * A rating above five stars is on an unknown scale: none is better than a wrong one. App stores give 0 to an app that
 * nobody has rated yet.
 */
function stars({ data, fields }: AssetData): number | null {
  const number = numberOf(fields.number ?? data);
  return number !== null && number > 0 && number <= 5 ? number : null;
}

const SHOWABLE = ['title', 'description', 'banner', 'standardBanner', 'htmlBanner', 'video'] as const;

/** Whether a card can be made of these assets: a rating, an icon or a button alone is not enough. */
export function canBeShown(assets: NativeAssets): boolean {
  return SHOWABLE.some((name) => assets[name] !== null);
}
