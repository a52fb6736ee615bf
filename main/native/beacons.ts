import type { NativeBeacon } from '../../shared/native';
import { asObject, isEmpty, lineOf, typedItems, webAddressOf } from './typed-items';

/** Longest script that is run, in characters. */
const MAX_SCRIPT = 256 * 1024;

/**
 * Reads the `beacons` of an ad in their order, duplicates included: each is confirmed, and identified by its
 * position (rule 16). An entry with both an address and a script counts as two beacons. Unknown types are
 * never sent, because their meaning is unknown.
 *
 * `isComplete` is false where an impression beacon cannot be used: the ad could not be confirmed completely.
 */
export function readBeacons(list: unknown): {
  readonly beacons: readonly NativeBeacon[];
  readonly remarks: readonly string[];
  readonly isComplete: boolean;
} {
  const beacons: NativeBeacon[] = [];
  const remarks: string[] = [];
  let isComplete = true;
  for (const { type, data } of typedItems(list)) {
    if (type !== 'impression' && type !== 'click') {
      remarks.push(`beacon type ${lineOf(type, 40) ?? '(empty)'} is unknown`);
      continue;
    }
    const fields = asObject(data) ?? {};
    const address = asObject(data) === null ? data : fields.url;
    const url = webAddressOf(address);
    const script = type === 'impression' ? scriptOf(fields.js) : null;
    if (url !== null) beacons.push({ kind: type === 'click' ? 'click' : 'impression-url', url });
    if (script !== null) beacons.push({ kind: 'impression-script', script });
    if (url === null && script === null) remarks.push(`beacon ${type} cannot be used`);
    const isScriptLost = script === null && typeof fields.js === 'string' && !isEmpty(fields.js);
    const isLost = isScriptLost || (url === null && !isEmpty(address));
    if (type === 'impression' && isLost) isComplete = false;
  }
  return { beacons, remarks, isComplete };
}

function scriptOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_SCRIPT) return null;
  return value.toWellFormed();
}
