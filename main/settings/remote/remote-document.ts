import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isObject, type Json, withValue } from '../json-values';
import { type RemoteEffect, SettingsFile } from '../settings';
import { kindOf, type SettingsProblem, shapeOf, unknownSetting } from '../settings-problems';

/** Names come from outside; longer ones are cut in messages, characters. */
const MAX_NAME_LENGTH = 100;

/** A value of a document whose setting may be changed remotely. */
interface OpenPiece {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly effect: RemoteEffect;
}

/** Every path of a document that is not open to the fleet's operator (rule 30), with what was expected. */
export const remoteProblems = (document: Json): readonly SettingsProblem[] =>
  [...piecesOf(document)].flatMap((piece) => ('message' in piece ? [piece] : []));

/** The file with a document's values in the place of its own. */
export const mergeDocument = (raw: Json, document: Json): Json =>
  openPieces(document).reduce((merged, { path, value }) => withValue(merged, path, value), raw);

/** The settings that a document names, such as `ads.sourceWeights`. */
export const pathsIn = (document: Json): readonly string[] =>
  openPieces(document).map(({ path }) => path.join('.'));

/** The settings in which two documents differ, and how each takes effect; null: the file alone. */
export function changesBetween(before: Json | null, after: Json | null): ReadonlyMap<string, RemoteEffect> {
  const [old, next] = [byPath(before), byPath(after)];
  const differ = [...old, ...next].filter(([path]) => !isDeepStrictEqual(old.get(path), next.get(path)));
  return new Map(differ.map(([path, { effect }]) => [path, effect]));
}

const byPath = (document: Json | null): ReadonlyMap<string, OpenPiece> =>
  new Map(document === null ? [] : openPieces(document).map((piece) => [piece.path.join('.'), piece]));

const openPieces = (document: Json): readonly OpenPiece[] =>
  [...piecesOf(document)].flatMap((piece) => ('effect' in piece ? [piece] : []));

/** Checks against the declarations: a setting is closed unless it was declared with `remoteSetting`. */
function* piecesOf(
  value: Json,
  section: z.core.$ZodType = SettingsFile,
  at: readonly string[] = [],
): Generator<OpenPiece | SettingsProblem> {
  const shape = shapeOf(section) ?? {};
  for (const [key, inner] of Object.entries(value)) {
    const path = [...at, key];
    const problem = (message: string) => ({
      path: [...at, key.slice(0, MAX_NAME_LENGTH)].join('.'),
      message,
    });
    // Own names alone: "constructor" is no setting.
    const declared = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const effect = declared === undefined ? null : effectOf(declared);
    if (declared === undefined) yield problem(unknownSetting(at, key));
    else if (effect !== null) yield { path, value: inner, effect };
    else if (shapeOf(declared) !== null && isObject(inner) && Object.keys(inner).length > 0)
      yield* piecesOf(inner, declared, path);
    else yield problem(closed(inner, path));
  }
}

const closed = (value: unknown, path: readonly string[]) =>
  `Expected a setting that can be changed remotely (docs/settings.md lists them), found ${kindOf(value, path)} for a setting that only the kiosk's own file can change.`;

function effectOf(declared: z.core.$ZodType): RemoteEffect | null {
  const { remote } = z.globalRegistry.get(declared) ?? {};
  return remote === 'live' || remote === 'restart' ? remote : null;
}
