import type { ContentInfo, NativeMeta, RevenueModel } from '../../shared/native';
import {
  asObject,
  type JsonObject,
  lineOf,
  numberOf,
  shownLineOf,
  typedItems,
  webAddressOf,
} from './typed-items';

const MAX_ID = 512;

/** Reads the `meta` of an ad: the first usable entry of each type. Unknown types are skipped with a remark. */
export function readMeta(list: unknown): { readonly meta: NativeMeta; readonly remarks: readonly string[] } {
  const items = typedItems(list);
  const known = new Set<string>();
  function first<Value>(type: string, read: (data: unknown, fields: JsonObject) => Value | null) {
    known.add(type);
    for (const { data } of items.filter((item) => item.type === type)) {
      const value = read(data, asObject(data) ?? {});
      if (value !== null) return value;
    }
    return null;
  }
  const meta: NativeMeta = {
    points: first('points', (data, fields) => points(fields.number ?? data)),
    revenueModel: first('revenuemodel', (data, fields) => revenueModel(fields.text ?? data)),
    campaignId: first('campaignid', (data) => identifier(data, 'campaignid')),
    creativeId: first('creativeid', (data) => identifier(data, 'creativeid')),
    bundleId: first('bundleid', (data) => identifier(data, 'bundleid')),
    contentInfo: first('contentinfo', (_data, fields) => contentInfo(fields)),
  };
  const remarks = items
    .filter(({ type }) => !known.has(type))
    .map(({ type }) => `meta type ${lineOf(type, 40) ?? '(empty)'} is unknown`);
  return { meta, remarks };
}

function points(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && number >= 0 ? number : null;
}

function revenueModel(value: unknown): RevenueModel | null {
  const name = lineOf(value, 40)?.toUpperCase() ?? null;
  if (name === 'CPA' || name === 'CPC' || name === 'CPM') return name;
  return name === null ? null : 'other';
}

/** An empty object or empty text means that the campaign has no such identifier. */
function identifier(data: unknown, type: string): string | null {
  const fields = asObject(data);
  return lineOf(fields === null ? data : (fields.text ?? fields.id ?? fields[type]), MAX_ID);
}

function contentInfo(fields: JsonObject): ContentInfo | null {
  const info = {
    link: webAddressOf(fields.link),
    icon: webAddressOf(fields.icon),
    text: shownLineOf(fields.text, 80),
  };
  return info.link === null && info.icon === null && info.text === null ? null : info;
}
