export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A value as canonical JSON (RFC 8785): names sorted by UTF-16 code units, no spaces, numbers
 * and escapes as ECMAScript writes them. Equal values give equal bytes.
 * Throws a `TypeError` for what the RFC forbids: numbers that are not finite, and lone surrogates.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('expected text without lone surrogates');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`expected a finite number, got ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonicalJson(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);
