/** Unchecked JSON, such as the values of a settings file. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path as messages name it: `ads.params.key[1]`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** The value at a path; undefined if there is none. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** A copy with this value at a path; undefined removes the value. */
export function withValue(raw: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  const { [name]: inner, ...others } = raw;
  if (inner === undefined && value === undefined) return raw;
  const next = rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value);
  return next === undefined ? others : { ...raw, [name]: next };
}
