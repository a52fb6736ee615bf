import type { NativeAssets, NativePicture } from '../../../shared/native';
import { weightOf } from '../../reading/portions';
import {
  asObject,
  type JsonObject,
  lineOf,
  numberOf,
  pixelsOf,
  typedItems,
  webAddressOf,
} from './typed-items';
import { readVideoDocument, type VideoDocument } from './video-document';

export type { VideoDocument } from './video-document';

export interface AssetsReading {
  readonly assets: NativeAssets;
  /** What could not be used, one short sentence each, without values. */
  readonly remarks: readonly string[];
  /** Every `vast2` asset in its order; `assets.video` is null until one of them was followed to its media. */
  readonly videos: readonly VideoDocument[];
}

/** Longest texts that are kept, in characters; the card clamps them further. */
const MAX_TEXT = { title: 300, description: 2_000, callToAction: 80 } as const;
const MAX_HTML = 512 * 1024;
/** `vast2` assets of an ad that are read: it shows one video, the others are for when that cannot be had. */
const MAX_VIDEOS = 10;
/** What these may weigh together, about bytes: an ad is copied to main in one piece (rule 31). */
const MAX_VIDEO_WEIGHT = 512 * 1024;

/**
 * Reads the `assets` of an ad: of each type the first that can be used. Types
 * this version does not know (`custom_endcard`, `votes`, …) are passed over.
 */
export function readAssets(list: unknown): AssetsReading {
  const remarks: string[] = [];
  const videos: VideoDocument[] = [];
  const assets: Mutable<NativeAssets> = {
    icon: null,
    banner: null,
    title: null,
    description: null,
    rating: null,
    callToAction: null,
    standardBanner: null,
    htmlBanner: null,
    video: null,
  };
  const keep = <K extends keyof NativeAssets>(name: K, type: string, value: NativeAssets[K]): void => {
    if (value === null) remarks.push(`asset ${type} cannot be used`);
    else if (assets[name] === null) assets[name] = value;
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
    switch (type) {
      case 'icon':
        keep('icon', type, picture(fields));
        break;
      case 'banner':
        keep('banner', type, picture(fields));
        break;
      case 'standardbanner':
        keep('standardBanner', type, picture(fields));
        break;
      case 'title':
        keep('title', type, lineOf(fields.text ?? data, MAX_TEXT.title));
        break;
      case 'description':
        keep('description', type, lineOf(fields.text ?? data, MAX_TEXT.description));
        break;
      case 'cta':
        keep('callToAction', type, lineOf(fields.text ?? data, MAX_TEXT.callToAction));
        break;
      case 'rating':
        keep('rating', type, stars(fields.number ?? data));
        break;
      case 'htmlbanner':
        keep('htmlBanner', type, htmlBanner(fields));
        break;
      case 'vast2':
        if (videos.length < MAX_VIDEOS) keepVideo(readVideoDocument(fields.vast2 ?? fields.text ?? data));
        else remarks.push(`more than ${MAX_VIDEOS} assets vast2`);
        break;
      default:
        remarks.push(`asset type ${lineOf(type, 40) ?? '(empty)'} is unknown`);
    }
  }
  return { assets, videos, remarks };
}

const TOO_LARGE: VideoDocument = {
  kind: 'unreadable',
  code: 'too-large',
  message: `more than ${MAX_VIDEO_WEIGHT} bytes with the videos before it`,
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function picture(fields: JsonObject): NativePicture | null {
  const url = webAddressOf(fields.url);
  return url === null ? null : { url, width: pixelsOf(fields.w), height: pixelsOf(fields.h) };
}

function htmlBanner(fields: JsonObject): NativeAssets['htmlBanner'] {
  const { html } = fields;
  if (typeof html !== 'string' || html.trim() === '' || html.length > MAX_HTML) return null;
  return { html: html.toWellFormed(), width: pixelsOf(fields.w), height: pixelsOf(fields.h) };
}

/** A rating beyond five stars is on a scale nobody told us: rather none than a false one. */
function stars(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && number >= 0 && number <= 5 ? number : null;
}

/** True when a card can be made of it: a rating, an icon or a button alone say nothing. */
export function canBeShown({
  title,
  description,
  banner,
  standardBanner,
  htmlBanner,
  video,
}: NativeAssets): boolean {
  return [title, description, banner, standardBanner, htmlBanner, video].some((asset) => asset !== null);
}
