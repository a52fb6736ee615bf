import { ProofRow } from '../../shared/proof-row';

/** The fields of a play's row that its digest covers. */
export const PLAY_FIELDS = Object.keys(ProofRow.omit({ digest: true }).shape);

/** The fields of a manifest that its digest covers. */
const MANIFEST_FIELDS = [
  ...['kind', 'kiosk', 'epoch', 'seq', 'rev', 'first', 'last', 'count', 'rowsDigest', 'predecessor'],
  ...['setAside', 'madeAt', 'publicKey'],
] as const;

/** Columns that the server returns as text, so that no digit is lost. */
const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['epoch', 'seq', 'rev', 'first', 'last', 'count']);

type Value = string | number | boolean | null;

/** A row of the table as the kiosk wrote it: the fields of its kind, `digest` and `signature` left out. */
export function fieldsAsWritten(row: Readonly<Record<string, unknown>>): Record<string, Value> {
  const names = row.kind === 'segment' ? MANIFEST_FIELDS : PLAY_FIELDS;
  return Object.fromEntries(names.map((name) => [name, writtenValue(name, row[name])]));
}

function writtenValue(name: string, value: unknown): Value {
  if (WHOLE_NUMBERS.has(name)) return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
