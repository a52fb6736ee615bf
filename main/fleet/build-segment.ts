import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../../shared/clock';
import type { ProofPosition, SequenceEntry, StoredSegment } from '../../shared/proof-sequence';
import type { SigningKey } from '../admin/signing-key';
import type { Records } from '../records/records-client';
import { draftSegment, line, type MissingRange, type PlayFields } from './segment';

/** Read at once. A reservation may have to wait for their plays, some 1.5 ms. */
const PAGE_ROWS = 25;
/** Length from which on a body takes no further rows, before compression: the books store 16 MB of one. */
const FULL_BODY_BYTES = 12 * 1024 * 1024;

export interface BuildParts {
  readonly records: Pick<Records, 'run'>;
  readonly key: SigningKey;
  /** A play's row without its digest. */
  readonly rowOf: (entry: SequenceEntry) => PlayFields;
  readonly maxRows: number;
  readonly clock: Clock;
  /** Lets other work run after so many ms of this. */
  readonly rest: (workedMs: number) => Promise<void>;
}

/** A segment that was made and stored. */
export interface BuiltSegment {
  readonly segment: StoredSegment;
  /** Not all that may be cut went in. */
  readonly hasMore: boolean;
}

const compressed = promisify(gzip);

/**
 * Makes the next segment of what settled since the last one, and stores its bytes (rule 28); null:
 * nothing may be cut yet. Rows are made a page at a time, in a few ms, with a rest behind each;
 * a thread compresses them. Rejects with a `RecordsFault` when the books do.
 */
export async function buildSegment(parts: BuildParts, position: ProofPosition): Promise<BuiltSegment | null> {
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
    const run = runFrom({ epoch, seq }, page.entries);
    const lines = Buffer.from(draft.add(run.map(parts.rowOf)));
    body.push(lines);
    bytes += lines.byteLength;
    seq += run.length;
    const isCut = run.length < page.entries.length;
    hasMore = isCut || page.more;
    if (isCut || !page.more || draft.count >= maxRows || bytes >= FULL_BODY_BYTES) break;
    // The books rest, too: what the kiosk plays meanwhile asks them.
    await parts.rest(clock.monotonic() - startedAt);
    page = await nextPage(parts, { epoch, seq: seq - 1 }, maxRows - draft.count);
  }
  const madeAt = clock.now();
  const manifest = draft.seal(madeAt);
  body.push(Buffer.from(line(manifest)));
  const { first, last, count, digest } = manifest;
  const segment = { epoch, first, last, count, digest, madeAt };
  // A copy of its own: small buffers share their memory with others, and all of it would go through the port.
  const stored = new Uint8Array(await compressed(Buffer.concat(body)));
  await records.run('storeSegment', { ...segment, bytes: stored });
  return { segment, hasMore };
}

/** The entries that go on from here without a gap: dropped numbers, and the next epoch, end a segment. */
function runFrom(
  { epoch, seq }: ProofPosition['readFrom'],
  entries: readonly SequenceEntry[],
): readonly SequenceEntry[] {
  const end = entries.findIndex((entry, index) => entry.epoch !== epoch || entry.seq !== seq + index);
  return end < 0 ? entries : entries.slice(0, end);
}

/** What a segment of this epoch follows, and what is missing before it. */
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
