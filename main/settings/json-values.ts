/** Values of settings as their file has them, before anything is checked. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** A copy with a value at a path; undefined takes what stands there away. */
export function withValue(raw: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  const { [name]: inner, ...others } = raw;
  if (inner === undefined && value === undefined) return raw;
  const next = rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value);
  return next === undefined ? others : { ...raw, [name]: next };
}
