import { nestsDeeperThan, SERVICE_JSON_DEPTH } from '../reading/json-depth';
import { withScheme } from '../service/ads-reading/vast-values';

/** One `{ type, data }` of an answer's lists, its data unwrapped. */
export interface TypedItem {
  readonly type: string;
  readonly data: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Longest list that is read; the rest is ignored. */
const MAX_ITEMS = 1_000;

/**
 * Reads a list of `{ type, data }`. Data may also be named `jsondata`, be nested one level deeper under that name, and be
 * a string of JSON there; the other one may then be there too, but empty. Entries without a type are left out; a value
 * that is no list counts as an empty one.
 */
export function typedItems(list: unknown): readonly TypedItem[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_ITEMS).flatMap((item: unknown): TypedItem[] => {
    const entry = asObject(item);
    if (entry === null || typeof entry.type !== 'string') return [];
    return [{ type: entry.type.trim().toLowerCase(), data: dataOf(entry) }];
  });
}

function dataOf(entry: JsonObject): unknown {
  const outer = isEmpty(entry.data) ? inner(entry) : entry.data;
  const nested = inner(asObject(outer) ?? {});
  return isEmpty(nested) ? outer : nested;
}

/** Absent, null, a blank text, or an object or a list with nothing in it. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : value === undefined;
}

function inner({ jsondata }: JsonObject): unknown {
  if (typeof jsondata !== 'string' || nestsDeeperThan(SERVICE_JSON_DEPTH, jsondata)) return jsondata;
  try {
    return jsonWithIds(jsondata);
  } catch {
    return jsondata;
  }
}

/** A value of 16 digits or more: a smaller one is exact. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Parses JSON. Whole numbers that would be rounded become strings: they are ids. Throws like `JSON.parse`. */
export function jsonWithIds(text: string): unknown {
  const json: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return json;
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? `"${token}"` : token)));
}

const isRounded = (token: string) => /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** UTF-16 code units of a text that `lineOf` reads. */
const MAX_LOOKED_AT = 16_384;
/** A character that can be seen: no space, no invisible character (Unicode's default ignorables), no blank of Braille. */
const VISIBLE = /[^\p{DI}\p{Z}\u2800]/u;

/**
 * What becomes a plain space. Not a no-break space behind a digit: "1 299 €" on two lines would be read as "299 €".
 */
const SPACES = /(?!(?<=\d)[\u00a0\u202f])[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu;

/** Text on one line, at most `max` characters, or null where nothing readable is left. */
export function lineOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const line = String(value).slice(0, MAX_LOOKED_AT).toWellFormed().replace(SPACES, ' ').trim();
  if (!VISIBLE.test(line)) return null;
  const characters = [...line];
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp|euro|reg|trade));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  euro: '€',
  reg: '®',
  trade: '™',
};

/** Numbers from 128 on are those of Windows-1252, in HTML too; a space stands for a number without a character. */
const FROM_128 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Text for shoppers, like `lineOf`. Product feeds often hold character references of HTML: they are resolved. */
export function shownLineOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return lineOf(value, max);
  const resolved = value.slice(0, MAX_LOOKED_AT).replace(REFERENCE, (reference, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    if (name) return NAMED[name.toLowerCase()] ?? reference;
    return FROM_128[code - 128] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : reference);
  });
  return lineOf(resolved, max);
}

/** A finite number, even if it came as text; null otherwise. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}([.,]\d{1,9})?\s*$/.test(value)) return null;
  return Number(value.trim().replace(',', '.'));
}

/** A positive number of pixels, or null. */
export function pixelsOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && number > 0 && number <= 100_000 ? number : null;
}

/** Longest address that is read, in characters. */
export const MAX_URL = 32_768;

/** An http(s) address, verbatim but trimmed; one without a scheme (`//host/…`) is https. Null for anything else. */
export function webAddressOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const address = withScheme(value.trim());
  if (address.length > MAX_URL || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  return address;
}
