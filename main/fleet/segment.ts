import { createHash, hash } from 'node:crypto';
import { instant } from '../../shared/clock';
import type { SigningKey } from './signing-key';

/** A flat row: every field is a column. */
export type Fields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * A flat row as canonical JSON (RFC 8785): names in the order of their UTF-16 code units, and the rest as `JSON.stringify`
 * writes it. Equal values give equal bytes.
 */
export const canonicalJson = (fields: Fields): string => JSON.stringify(fields, Object.keys(fields).sort());

/** A row of a play without its `digest`, in the order of its columns. */
export interface PlayFields extends Fields {
  readonly kind: 'play';
  readonly epoch: number;
  readonly seq: number;
}

/** Sequence numbers that the receiver lacks. `digest`: of the segment set aside; null: plays were dropped unsent. */
export interface MissingRange {
  readonly first: number;
  readonly last: number;
  readonly digest: string | null;
}

export interface SegmentAbout {
  /** Fingerprint of the kiosk's key. */
  readonly kiosk: string;
  /** ms since the epoch; identifies the database (rule 27). */
  readonly epoch: number;
  /** `digest` of the epoch's previous segment; null: this is its first. */
  readonly predecessor: string | null;
  /** Missing sequence numbers of this epoch. */
  readonly setAside: readonly MissingRange[];
}

/** The last line of a segment, against which an auditor checks the rows and their order. Public: only add fields. */
export type Manifest = ReturnType<ReturnType<typeof draftSegment>['seal']>;

/**
 * Begins a segment. Rows come in the order of their sequence numbers, without a gap. The same rows, key and time give
 * the same bytes (Ed25519 is deterministic).
 */
export function draftSegment(about: SegmentAbout, key: Pick<SigningKey, 'publicKey' | 'sign'>) {
  const rowsHash = createHash('sha256');
  let first = 0;
  let last = 0;
  let count = 0;

  return {
    get count() {
      return count;
    },
    /** Returns the rows' lines, each with a line feed. Throws if a sequence number does not follow the last one. */
    add(rows: readonly PlayFields[]): string {
      let lines = '';
      for (const row of rows) {
        if (row.epoch !== about.epoch || (count > 0 && row.seq !== last + 1)) {
          throw new Error(`a row of ${row.epoch}/${row.seq} cannot follow ${about.epoch}/${last}`);
        }
        const sealed = withDigest(row);
        if (count === 0) first = row.seq;
        last = row.seq;
        count += 1;
        rowsHash.update(`${sealed.digest}\n`);
        lines += jsonLine(sealed);
      }
      return lines;
    },
    /** Makes the manifest, the last line. There has to be a row. `madeAt`: ms since the epoch. */
    seal(madeAt: number) {
      const { digest, ...facts } = withDigest({
        kind: 'segment',
        kiosk: about.kiosk,
        epoch: about.epoch,
        seq: last,
        rev: 0,
        /** Sequence numbers, inclusive; a row for each of them is in the segment. */
        first,
        last,
        count,
        /** SHA-256 in hex of the rows' digests in hex, each with a line feed behind. */
        rowsDigest: rowsHash.digest('hex'),
        predecessor: about.predecessor,
        /** RFC 8785 JSON of `MissingRange[]`. */
        setAside: JSON.stringify(about.setAside, ['digest', 'first', 'last']),
        /** RFC 3339, UTC. */
        madeAt: instant(madeAt),
        /** Raw 32 bytes in base64. */
        publicKey: rawKey(key.publicKey),
      } as const);
      /** Ed25519 over `endcap-segment:` and the digest, in base64. */
      const signature = Buffer.from(key.sign(signedBytes(digest))).toString('base64');
      return { ...facts, digest, signature };
    },
  };
}

export const jsonLine = (row: Fields): string => `${JSON.stringify(row)}\n`;

/** The bytes that a manifest with this digest signs. */
export const signedBytes = (digest: string): Uint8Array => Buffer.from(`endcap-segment:${digest}`, 'ascii');

/**
 * Appends the digest of a row: SHA-256 in hex of its canonical JSON. Replaces first what JSON cannot hold (lone
 * surrogates; numbers that are not finite become null) and rounds fractions.
 */
export function withDigest<Row extends Fields>(row: Row): Row & { readonly digest: string } {
  const fit: Record<string, Fields[string]> = { ...row };
  // One invalid value in a play must not block all later plays.
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

/** Whether a received row matches its digest. It cleans no values, unlike `withDigest`: rows are sent clean. */
export const hasDigest = (row: Fields, digest: string): boolean =>
  hash('sha256', canonicalJson(row)) === digest;

/** `ed25519:` and base64url, as exports name the key, to plain base64. */
const rawKey = (publicKey: string): string =>
  Buffer.from(publicKey.replace(/^ed25519:/, ''), 'base64url').toString('base64');
