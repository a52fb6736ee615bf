import { createHash, verify } from 'node:crypto';
import { hasDigest, type MissingRange, signedBytes } from '../../../main/fleet/segment';
import { fieldsAsWritten } from '../columns';
import type { AcceptedKiosk } from './accepted-kiosks';
import { type ChainLink, followChain, setAsideIn } from './chain';
import type { ErrorCode, Finding, NoteCode } from './findings';

/** A row as the server returns it; `isDated` 0: its columns `time` and `atMs` are not what the server makes of it. */
export type TableRow = Readonly<Record<string, unknown>>;

export interface Verified {
  readonly segments: number;
  readonly rows: number;
}

/** A play's row that no manifest has covered yet. */
interface OpenRow {
  readonly seq: number;
  readonly digest: string;
  readonly isIntact: boolean;
}

/** The numbers that are checked, and what the table says of those around them. */
export interface CheckedRange {
  /** Whether it begins with the epoch, so that nothing may be missing before it. */
  readonly fromStart: boolean;
  /** What the epoch's newest manifest says is set aside. */
  readonly setAside: readonly MissingRange[];
  /** The signed manifests next to the range; null: the table has none there. */
  readonly before: TableRow | null;
  readonly after: TableRow | null;
}

/**
 * Checks one epoch of one kiosk row by row, holding only one segment in memory. Give it every row of a range of
 * numbers, ordered by `seq` and `kind`: so a manifest comes after the rows that it signs.
 *
 * @param kiosk null: it is not accepted, and its rows are only counted
 * @param report called once for each finding
 */
export function epochVerifier(
  place: { readonly kiosk: string; readonly epoch: number },
  kiosk: AcceptedKiosk | null,
  range: CheckedRange,
  report: (finding: Finding) => void,
) {
  let open: OpenRow[] = [];
  let previous: ChainLink | null = range.before && linkOf(range.before);
  let lastManifest: { text: string; first: number; last: number } | null = null;
  let repeats = 0;
  let segments = 0;
  let rows = 0;
  const seen = { first: Number.POSITIVE_INFINITY, last: 0 };

  const tell = (code: ErrorCode | NoteCode, first: number, last: number, message: string) =>
    report({
      code,
      isError: code !== 'segment-replayed' && code !== 'set-aside',
      ...place,
      first,
      last,
      message,
    });

  function addPlay(row: TableRow): void {
    const fields = fieldsAsWritten(row);
    const seq = Number(row.seq);
    const digest = String(row.digest);
    const isIntact = hasDigest(fields, digest);
    const before = open.at(-1);
    if (before?.seq === seq && before.digest === digest && isIntact && before.isIntact) return;
    rows += 1;
    // The rows of a loaded export have no digest. In a signed segment such a row replaces a genuine one.
    if (!isIntact && digest !== '') {
      tell(
        'row-changed',
        seq,
        seq,
        `play ${String(row.id)} is not what was signed: its fields do not fit its digest`,
      );
    }
    if (before?.seq === seq) {
      tell('row-conflict', seq, seq, `play ${String(row.id)} has the same number as another row`);
      // The manifest is checked against the intact row, if there is one.
      if (isIntact && !before.isIntact) open[open.length - 1] = { seq, digest, isIntact };
      return;
    }
    open.push({ seq, digest, isIntact });
  }

  function addManifest(row: TableRow, accepted: AcceptedKiosk): void {
    const text = JSON.stringify([fieldsAsWritten(row), row.digest, row.signature]);
    const first = Number(row.first);
    const last = Number(row.last);
    if (lastManifest?.text === text) {
      repeats += 1;
      return;
    }
    tellRepeats();
    if (lastManifest?.last === last) {
      tell('segment-conflict', first, last, 'another manifest has the same numbers');
      if (!isSigned(row, accepted)) return;
    }
    lastManifest = { text, first, last };
    segments += 1;
    if (row.publicKey !== accepted.publicKey) {
      tell('forged-segment', first, last, 'another key than the accepted one of this kiosk signed it');
    } else if (!isSigned(row, accepted)) {
      tell('segment-changed', first, last, 'its manifest does not fit its digest or its signature');
    }
    checkRows(row, first, last);
    follow(row);
  }

  /** Compares a manifest with the segment before it. */
  function follow(row: TableRow): void {
    const link = linkOf(row);
    for (const finding of followChain(previous, link, setAsideIn(String(row.setAside)), range.fromStart)) {
      const { code, first, last, message } = finding;
      const isDelivered = code === 'set-aside' && !range.setAside.some((aside) => aside.first === first);
      if (isDelivered) tell('segment-missing', first, last, DELIVERED_LATER);
      else tell(code, first, last, message);
    }
    previous = link;
  }

  function checkRows(manifest: TableRow, first: number, last: number): void {
    const inside = open.filter(({ seq }) => seq >= first && seq <= last);
    tellUnsigned(open.filter(({ seq }) => seq < first));
    open = [];
    const missing = missingIn(inside, first, last);
    for (const [from, to] of missing)
      tell('row-missing', from, to, 'the segment is there, but without these rows');
    const rowsHash = createHash('sha256');
    for (const { digest } of inside) rowsHash.update(`${digest}\n`);
    const fits = rowsHash.digest('hex') === manifest.rowsDigest && inside.length === Number(manifest.count);
    if (!fits && missing.length === 0) {
      tell('rows-replaced', first, last, 'the rows fit their digests, but are not those that were signed');
    }
  }

  function tellUnsigned(unsigned: readonly OpenRow[]): void {
    const from = unsigned[0]?.seq;
    const to = unsigned.at(-1)?.seq;
    if (from === undefined || to === undefined) return;
    tell('rows-unsigned', from, to, `${unsigned.length} rows that no segment covers`);
  }

  function tellRepeats(): void {
    if (repeats > 0 && lastManifest !== null) {
      const times = repeats === 1 ? 'once more' : `${repeats} times more`;
      tell('segment-replayed', lastManifest.first, lastManifest.last, `it came ${times}; it counts once`);
    }
    repeats = 0;
  }

  return {
    add(row: TableRow): void {
      seen.first = Math.min(seen.first, Number(row.seq));
      seen.last = Math.max(seen.last, Number(row.seq));
      if (kiosk === null) {
        rows += 1;
        return;
      }
      if (row.isDated === 0) {
        const [seq, what] = [Number(row.seq), row.kind === 'segment' ? 'its manifest' : `play ${row.id}`];
        tell('row-misdated', seq, seq, `${what} ${MISDATED}`);
      }
      if (row.kind === 'segment') addManifest(row, kiosk);
      else addPlay(row);
    },
    /** After the last row. */
    end(): Verified {
      if (kiosk === null) {
        const message = `${rows} rows of a kiosk that is not among the accepted ones`;
        tell('unknown-kiosk', seen.first, seen.last, message);
      } else {
        tellRepeats();
        tellUnsigned(open);
        // Otherwise nobody would miss the last segments of a range: its own next one is in no range with them.
        if (range.after !== null) follow(range.after);
      }
      return { segments, rows };
    },
  };
}

const MISDATED =
  'lies at another time in the table (`time`, `atMs`) than it says: somebody gave columns that the server makes';
const DELIVERED_LATER = 'the kiosk had set this segment aside, and says that it was delivered later';

/** Whether the kiosk has signed this manifest. */
export function isSigned(row: TableRow, { key, publicKey }: AcceptedKiosk): boolean {
  const digest = String(row.digest);
  return (
    row.publicKey === publicKey &&
    hasDigest(fieldsAsWritten(row), digest) &&
    verify(null, signedBytes(digest), key, Buffer.from(String(row.signature), 'base64'))
  );
}

const linkOf = (manifest: TableRow): ChainLink => ({
  first: Number(manifest.first),
  last: Number(manifest.last),
  digest: String(manifest.digest),
  predecessor: textOrNull(manifest.predecessor),
});

/** Ranges of numbers from `first` to `last` without a row. `rows` must ascend. */
function missingIn(rows: readonly OpenRow[], first: number, last: number): [number, number][] {
  const ranges: [number, number][] = [];
  let next = first;
  for (const { seq } of rows) {
    if (seq > next) ranges.push([next, seq - 1]);
    next = seq + 1;
  }
  if (next <= last) ranges.push([next, last]);
  return ranges;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
