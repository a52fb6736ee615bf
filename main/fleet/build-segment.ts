import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../../shared/clock';
import type { ProofPosition, SequenceEntry, StoredSegment } from '../../shared/proof-sequence';
import type { Records } from '../records/records-client';
import { draftSegment, jsonLine, type MissingRange, type PlayFields } from './segment';
import type { SigningKey } from './signing-key';

/** Rows per read of the books. A read takes about 1.5 ms, and a reservation may have to wait for it. */
const PAGE_ROWS = 25;
/** A body of this size before compression gets no further rows: the books store at most 16 MB per segment. */
const FULL_BODY_BYTES = 12 * 1024 * 1024;

export interface BuildParts {
  readonly records: Pick<Records, 'run'>;
  readonly key: SigningKey;
  /** A play's row without its digest. */
  readonly rowOf: (entry: SequenceEntry) => PlayFields;
  readonly maxRows: number;
  readonly clock: Clock;
  /** Lets other work run; resolves when the next page may be made. `workedMs`: how long the last page took. */
  readonly rest: (workedMs: number) => Promise<void>;
}

const compressed = promisify(gzip);

/**
 * Makes the next segment from the plays that settled since the last one, and stores its bytes (rule 28). Null: no
 * play is ready yet; `hasMore`: more plays are ready for the next segment. Makes one page of rows at a time, a few ms
 * each, with a rest after each; gzip runs on a thread. Rejects with a `RecordsError` when the books do.
 */
export async function buildSegment(parts: BuildParts, position: ProofPosition) {
  const { records, key, clock, maxRows } = parts;
  let page = await nextPage(parts, position.readFrom, maxRows);
  const [head] = page.entries;
  if (!head) return null;
  const { epoch } = head;
  const draft = draftSegment({ kiosk: key.fingerprint, epoch, ...chainIn(position, epoch) }, key);
  const body: Buffer[] = [];
  let bytes = 0;
  let hasMore = false;
  for (let seq = head.seq; ; ) {
    const startedAt = clock.monotonic();
    const lines = Buffer.from(draft.add(page.entries.map(parts.rowOf)));
    body.push(lines);
    bytes += lines.byteLength;
    seq += page.entries.length;
    hasMore = page.more;
    if (!page.more || draft.count >= maxRows || bytes >= FULL_BODY_BYTES) break;
    // The books are free meanwhile for what playback needs from them.
    await parts.rest(clock.monotonic() - startedAt);
    page = await nextPage(parts, { epoch, seq: seq - 1 }, maxRows - draft.count);
    // A segment ends before a dropped number and before a new epoch. Inside a page is neither.
    if (page.entries[0]?.epoch !== epoch || page.entries[0].seq !== seq) break;
  }
  const madeAt = clock.now();
  const manifest = draft.seal(madeAt);
  body.push(Buffer.from(jsonLine(manifest)));
  const { first, last, count, digest } = manifest;
  const segment: StoredSegment = { epoch, first, last, count, digest, madeAt };
  // Copied, because a small buffer shares its memory with others, and the port would transfer all of that memory.
  const stored = new Uint8Array(await compressed(Buffer.concat(body)));
  await records.run('storeSegment', { ...segment, bytes: stored });
  return { segment, hasMore };
}

/** The digest of this epoch's previous segment, and the sequence numbers that are missing before this one. */
function chainIn(
  { heads, setAside, dropped }: ProofPosition,
  epoch: number,
): { readonly predecessor: string | null; readonly setAside: readonly MissingRange[] } {
  const missing = [
    ...setAside.filter((range) => range.epoch === epoch),
    ...dropped.filter((range) => range.epoch === epoch).map((range) => ({ ...range, digest: null })),
  ];
  return {
    predecessor: heads.find((head) => head.epoch === epoch)?.digest ?? null,
    setAside: missing.sort((one, other) => one.first - other.first),
  };
}

const nextPage = ({ records, clock }: BuildParts, after: ProofPosition['readFrom'], room: number) =>
  records.run('readSequence', { after, limit: Math.min(room, PAGE_ROWS), now: clock.now() });
