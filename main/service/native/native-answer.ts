import type { NativeAd } from '../../../shared/native';
import { canBeShown, readAssets } from './assets';
import { readBeacons } from './beacons';
import { readMeta } from './meta';
import { asObject, type JsonObject, lineOf } from './typed-items';
import type { VastFault, VideoReading } from './vast-video';

export type NativeReading =
  /** No ad at all, or none that can be shown, is no fill. */
  | {
      readonly kind: 'ads';
      readonly ads: readonly NativeAd[];
      readonly remarks: readonly string[];
      readonly videoFaults: readonly VideoFault[];
    }
  | { readonly kind: 'refused'; readonly status: string }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'malformed'; readonly detail: string };

/** A `vast2` asset that could not be used, of an ad that may be shown without it or not at all. */
export interface VideoFault extends VastFault {
  readonly instance: string;
}

export interface NativeReadingOptions {
  /** Ads that were asked for: more are cut off. */
  readonly adcount: number;
  /** Our id of this answer; with an ad's index in it the instance of that ad. */
  readonly answerId: string;
  /** ms since the epoch, UTC. */
  readonly receivedAt: number;
  readonly readVideo: (vast: string) => Promise<VideoReading>;
}

/** For one answer: what is wrong with the hundredth ad is what is wrong with the first. */
const MAX_REMARKS = 20;

/**
 * Reads the body of a native answer. Any status but `ok` is a refusal; unknown
 * keys and types are passed over and remarked on; an ad that cannot be shown is
 * dropped and leaves its neighbours alone.
 */
export async function readNativeAnswer(body: string, options: NativeReadingOptions): Promise<NativeReading> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { kind: 'not-json' };
  }
  const answer = asObject(parsed);
  if (answer === null) return { kind: 'malformed', detail: 'not an object' };
  const status = typeof answer.status === 'string' ? answer.status.trim() : '';
  if (status.toLowerCase() !== 'ok') return { kind: 'refused', status: lineOf(status, 40) ?? 'empty' };
  const list: unknown = answer.ads ?? [];
  if (!Array.isArray(list)) return { kind: 'malformed', detail: 'ads is not a list' };

  const wanted: readonly unknown[] = list.slice(0, options.adcount);
  const readings = await Promise.all(wanted.map((entry, index) => readAd(asObject(entry), index, options)));
  const remarks = readings.flatMap((reading, index) =>
    reading.remarks.map((remark) => `ad ${index + 1}: ${remark}`),
  );
  const surplus = list.length - wanted.length;
  return {
    kind: 'ads',
    ads: readings.flatMap(({ ad }) => (ad === null ? [] : [ad])),
    videoFaults: readings.flatMap(({ videoFaults }) => videoFaults),
    remarks: [...(surplus > 0 ? [`${surplus} more ads than were asked for`] : []), ...new Set(remarks)].slice(
      0,
      MAX_REMARKS,
    ),
  };
}

async function readAd(
  fields: JsonObject | null,
  index: number,
  { answerId, receivedAt, readVideo }: NativeReadingOptions,
): Promise<{
  readonly ad: NativeAd | null;
  readonly remarks: readonly string[];
  readonly videoFaults: readonly VideoFault[];
}> {
  if (fields === null) return { ad: null, remarks: ['not an object'], videoFaults: [] };
  const instance = `${answerId}/${index}`;
  const { assets, remarks: ofAssets, faults } = await readAssets(fields.assets, readVideo);
  const videoFaults = faults.map((fault) => ({ instance, ...fault }));
  if (!canBeShown(assets)) return { ad: null, remarks: [...ofAssets, 'nothing to show'], videoFaults };
  const { meta, remarks: ofMeta } = readMeta(fields.meta);
  const { beacons, remarks: ofBeacons } = readBeacons(fields.beacons);
  return {
    ad: {
      instance,
      receivedAt,
      link: linkOf(fields.link),
      assetGroupId: lineOf(fields.assetgroupid, 64),
      assets,
      meta,
      beacons: [...beacons],
    },
    remarks: [...ofAssets, ...ofMeta, ...ofBeacons],
    videoFaults,
  };
}

function linkOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 32_768) return null;
  const link = value.trim();
  return link === '' ? null : link;
}
