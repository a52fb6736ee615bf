import { createHash, hash } from 'node:crypto';
import { instant } from '../../shared/instant';
import type { SigningKey } from '../admin/signing-key';
import { canonicalJson } from './canonical-json';

/** A flat row: every field is a column. */
export type Fields = Readonly<Record<string, string | number | boolean | null>>;

/** A row of a play without its `digest`, in the order of its columns. */
export interface PlayFields extends Fields {
  readonly kind: 'play';
  readonly epoch: number;
  readonly seq: number;
}

/** Sequence numbers that the receiver lacks: of a segment set aside (its digest), or of plays that were dropped unsent (null). */
export interface MissingRange {
  readonly first: number;
  readonly last: number;
  readonly digest: string | null;
}

export interface SegmentAbout {
  /** Fingerprint of the key. */
  readonly kiosk: string;
  /** ms; names the database (rule 27). */
  readonly epoch: number;
  /** `digest` of the epoch's previous segment; null: this is its first. */
  readonly predecessor: string | null;
  /** Of this epoch. */
  readonly setAside: readonly MissingRange[];
}

/** The last line of a segment: what an auditor checks the rows and their order against. Public, only additions. */
export interface Manifest extends Fields {
  readonly kind: 'segment';
  readonly kiosk: string;
  readonly epoch: number;
  readonly seq: number;
  readonly rev: 0;
  /** Sequence numbers, inclusive; a row for each of them is in the segment. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** SHA-256 in hex of the rows' digests in hex, each with a line feed behind. */
  readonly rowsDigest: string;
  readonly predecessor: string | null;
  /** JSON text of `MissingRange[]`. */
  readonly setAside: string;
  /** RFC 3339, UTC. */
  readonly madeAt: string;
  /** Raw 32 bytes in base64. */
  readonly publicKey: string;
  readonly digest: string;
  /** Ed25519 over `endcap-segment:` and the digest, in base64. */
  readonly signature: string;
}

/** A segment that is being made. Rows come in the order of their sequence numbers, without a gap. */
export interface SegmentDraft {
  readonly count: number;
  /** The lines of these rows, each with a line feed behind. Throws where a number does not follow. */
  add(rows: readonly PlayFields[]): string;
  /** The manifest, which is the last line. Throws without any row. */
  seal(madeAt: number): Manifest;
}

/** Pure but for its own sums: the same rows, key and time give the same bytes (Ed25519 is deterministic). */
export function draftSegment(about: SegmentAbout, key: Pick<SigningKey, 'publicKey' | 'sign'>): SegmentDraft {
  const rowsHash = createHash('sha256');
  let first: number | null = null;
  let last = 0;
  let count = 0;

  return {
    get count() {
      return count;
    },
    add(rows) {
      let lines = '';
      for (const row of rows) {
        if (row.epoch !== about.epoch || (first !== null && row.seq !== last + 1)) {
          throw new Error(`a row of ${row.epoch}/${row.seq} cannot follow ${about.epoch}/${last}`);
        }
        const sealed = withDigest(row);
        first ??= row.seq;
        last = row.seq;
        count += 1;
        rowsHash.update(`${sealed.digest}\n`);
        lines += line(sealed);
      }
      return lines;
    },
    seal(madeAt) {
      if (first === null) throw new Error('a segment has at least one row');
      const { digest, ...facts } = withDigest({
        kind: 'segment',
        kiosk: about.kiosk,
        epoch: about.epoch,
        seq: last,
        rev: 0,
        first,
        last,
        count,
        rowsDigest: rowsHash.digest('hex'),
        predecessor: about.predecessor,
        setAside: canonicalJson(about.setAside.map(({ first, last, digest }) => ({ first, last, digest }))),
        madeAt: instant(madeAt),
        publicKey: rawKey(key.publicKey),
      } as const);
      const signature = Buffer.from(key.sign(signedBytes(digest))).toString('base64');
      return { ...facts, digest, signature };
    },
  };
}

/** One row, or a manifest, as a line. */
export const line = (row: Fields): string => `${JSON.stringify(row)}\n`;

/** What the signature of a manifest of this digest is over. */
export const signedBytes = (digest: string): Uint8Array => Buffer.from(`endcap-segment:${digest}`, 'ascii');

/** The row with its digest behind: SHA-256 in hex of its canonical JSON. What JSON has no form for is made fit first, and numbers are made whole. */
export function withDigest<Row extends Fields>(row: Row): Row & { readonly digest: string } {
  const fit: Record<string, Fields[string]> = { ...row };
  // One unfit value in a play must not keep all later plays from leaving.
  for (const name in fit) {
    const value = fit[name];
    if (typeof value === 'string' && !value.isWellFormed()) fit[name] = value.toWellFormed();
    // ClickHouse reads fractions inexactly: the digest could not be computed again from its columns.
    else if (typeof value === 'number' && !Number.isInteger(value))
      fit[name] = Number.isFinite(value) ? Math.round(value) : null;
  }
  fit.digest = hash('sha256', canonicalJson(fit));
  return fit as Row & { readonly digest: string };
}

/** Whether a row that was received is the one that was sent. What was sent is fit, so nothing is made fit here: 0.1 is not 0. */
export function hasDigest(row: Fields, digest: string): boolean {
  try {
    return hash('sha256', canonicalJson(row)) === digest;
  } catch {
    // It holds what JSON has no form for.
    return false;
  }
}

/** `ed25519:` and base64url, as exports name the key, to plain base64. */
const rawKey = (publicKey: string): string =>
  Buffer.from(publicKey.replace(/^ed25519:/, ''), 'base64url').toString('base64');
