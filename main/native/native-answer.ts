import type { NativeAd } from '../../shared/native';
import { nestsDeeperThan, SERVICE_JSON_DEPTH } from '../reading/json-depth';
import { readAssets, type VideoDocument } from './assets';
import { readBeacons } from './beacons';
import { readMeta } from './meta';
import { asObject, type JsonObject, jsonWithIds, lineOf, MAX_URL } from './typed-items';

/** Most remarks per ad and per answer: further ones usually say the same. */
export const MAX_REMARKS = 20;

export type NativeDocument =
  | NativeDrafts
  | { readonly kind: 'refused'; readonly status: string }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'malformed'; readonly detail: string };

/** Ads whose videos are not resolved to their media yet. */
export interface NativeDrafts {
  readonly kind: 'ads';
  readonly ads: readonly NativeDraft[];
  /** Ads beyond those that were asked for. */
  readonly surplus: number;
}

/** An ad whose `vast2` assets may still lead to other documents. */
export interface NativeDraft {
  /** Without its video; null: not an ad at all, or one that could not be confirmed completely. */
  readonly ad: NativeAd | null;
  /** Every `vast2` asset in its order. */
  readonly videos: readonly VideoDocument[];
  /** What could not be used, one short sentence each, without values. */
  readonly remarks: readonly string[];
}

export interface NativeReadingOptions {
  /** Number of requested ads; further ones are cut off. */
  readonly adcount: number;
  /** Our id of this answer; the instance of an ad is this and the ad's index. */
  readonly answerId: string;
}

/**
 * Reads the body of a native answer. Any status but `ok` is an error of the service (`refused`). Unknown keys
 * and types are skipped with a remark, and an error in one ad does not affect the others. Linear in the
 * body's length (rule 31). Never throws.
 */
export function readNativeAnswer(body: string, options: NativeReadingOptions): NativeDocument {
  if (nestsDeeperThan(SERVICE_JSON_DEPTH, body))
    return { kind: 'malformed', detail: `nested deeper than ${SERVICE_JSON_DEPTH} levels` };
  let parsed: unknown;
  try {
    parsed = jsonWithIds(body);
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
  return {
    kind: 'ads',
    ads: wanted.map((entry, index) => readAd(asObject(entry), index, options)),
    surplus: list.length - wanted.length,
  };
}

function readAd(fields: JsonObject | null, index: number, { answerId }: NativeReadingOptions): NativeDraft {
  if (fields === null) return { ad: null, videos: [], remarks: ['not an object'] };
  const { assets, videos, remarks: ofAssets } = readAssets(fields.assets);
  const { meta, remarks: ofMeta } = readMeta(fields.meta);
  const { beacons, remarks: ofBeacons, isComplete } = readBeacons(fields.beacons);
  if (!isComplete) return { ad: null, videos: [], remarks: ['an impression beacon cannot be used'] };
  return {
    ad: {
      instance: `${answerId}/${index}`,
      link: linkOf(fields.link),
      assetGroupId: lineOf(fields.assetgroupid, 64),
      assets,
      meta,
      beacons: [...beacons],
    },
    videos,
    remarks: [...ofAssets, ...ofMeta, ...ofBeacons].slice(0, MAX_REMARKS),
  };
}

function linkOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL) return null;
  const link = value.trim();
  return link === '' ? null : link;
}
