import type { ContentInfo, NativeMeta, RevenueModel } from '../../shared/native';
import { asObject, type JsonObject, lineOf, numberOf, typedItems, webAddressOf } from './typed-items';

const MAX_ID = 512;

/** Reads the `meta` of an ad: the first usable entry of each type. Unknown types are skipped with a remark. */
export function readMeta(list: unknown): { readonly meta: NativeMeta; readonly remarks: readonly string[] } {
  const remarks: string[] = [];
  const meta: { -readonly [K in keyof NativeMeta]: NativeMeta[K] } = {
    points: null,
    revenueModel: null,
    campaignId: null,
    creativeId: null,
    bundleId: null,
    contentInfo: null,
  };
  for (const { type, data } of typedItems(list)) {
    const fields = asObject(data) ?? {};
    switch (type) {
      case 'points':
        meta.points ??= points(fields.number ?? data);
        break;
      case 'revenuemodel':
        meta.revenueModel ??= revenueModel(fields.text ?? data);
        break;
      case 'campaignid':
        meta.campaignId ??= identifier(data, 'campaignid');
        break;
      case 'creativeid':
        meta.creativeId ??= identifier(data, 'creativeid');
        break;
      case 'bundleid':
        meta.bundleId ??= identifier(data, 'bundleid');
        break;
      case 'contentinfo':
        meta.contentInfo ??= contentInfo(fields);
        break;
      default:
        remarks.push(`meta type ${lineOf(type, 40) ?? '(empty)'} is unknown`);
    }
  }
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
    text: lineOf(fields.text, 80),
  };
  return info.link === null && info.icon === null && info.text === null ? null : info;
}
