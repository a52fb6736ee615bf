import { createHash, verify } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { canonicalJson, type Fields, type Manifest } from '../segment';
import { readPublicKey } from '../signing-key';

type Row = Fields;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * An auditor's copy: rows and manifests by their numbers, each once. Slow and obvious; throws an error
 * for anything that a kiosk must never send.
 */
export class SegmentReceiver {
  /** SHA-256 of each body, refused ones included, by epoch and first number. */
  readonly #seen = new Map<string, string>();
  readonly rows = new Map<string, Row>();
  readonly manifests = new Map<string, Manifest>();
  /** Bodies received, and how many of them were repeats. */
  bodies = 0;
  repeats = 0;

  /** Parses a body and checks it by itself; does not store it. */
  read(body: Uint8Array): { rows: Row[]; manifest: Manifest } {
    const lines = gunzipSync(body).toString('utf8').trimEnd().split('\n');
    const rows: Row[] = lines.map((line) => JSON.parse(line));
    const manifest = rows.pop() as unknown as Manifest;
    for (const { digest, ...rest } of rows) {
      if (digest !== sha256(canonicalJson(rest)))
        throw new Error(`row ${rest.seq} does not match its digest`);
    }
    const { digest, signature, ...facts } = manifest;
    if (digest !== sha256(canonicalJson(facts))) throw new Error('a manifest does not match its digest');
    const key = readPublicKey(`ed25519:${Buffer.from(manifest.publicKey, 'base64').toString('base64url')}`);
    const isSigned =
      key?.fingerprint === manifest.kiosk &&
      verify(null, Buffer.from(`endcap-segment:${digest}`), key.key, Buffer.from(signature, 'base64'));
    if (!isSigned) throw new Error('a manifest is not signed by the kiosk that it names');
    if (manifest.rowsDigest !== sha256(rows.map((row) => `${row.digest}\n`).join('')))
      throw new Error('a manifest does not match its rows');
    const numbers = rows.map(({ seq }) => seq);
    const expected = Array.from({ length: manifest.count }, (_, index) => manifest.first + index);
    if (JSON.stringify(numbers) !== JSON.stringify(expected) || manifest.last !== numbers.at(-1))
      throw new Error(`expected the numbers ${expected}, got ${numbers}`);
    const name = `${manifest.epoch}/${manifest.first}`;
    const hash = createHash('sha256').update(body).digest('hex');
    const before = this.#seen.get(name);
    if (before !== undefined && before !== hash) throw new Error(`segment ${name} came with other bytes`);
    this.#seen.set(name, hash);
    this.bodies += 1;
    if (before !== undefined) this.repeats += 1;
    return { rows, manifest };
  }

  /** Stores rows and manifest. Storing them again changes nothing. */
  take({ rows, manifest }: { readonly rows: readonly Row[]; readonly manifest: Manifest }): void {
    for (const row of rows) {
      const name = `${row.epoch}/${row.seq}`;
      const known = this.rows.get(name);
      if (known && known.digest !== row.digest) throw new Error(`row ${name} came with other content`);
      this.rows.set(name, row);
    }
    this.manifests.set(`${manifest.epoch}/${manifest.first}`, manifest);
  }

  /** Each play once: the row with the highest revision, and of equal ones the one of the later epoch. */
  plays(): Map<string, Row> {
    const latest = new Map<string, Row>();
    for (const row of this.rows.values()) {
      const known = latest.get(String(row.id));
      const isLater =
        !known ||
        Number(row.rev) > Number(known.rev) ||
        (row.rev === known.rev && Number(row.epoch) > Number(known.epoch));
      if (isLater) latest.set(String(row.id), row);
    }
    return latest;
  }

  /** The errors of the chains, a sentence each: wrong predecessors, and missing numbers that no manifest lists. */
  gaps(): string[] {
    const found: string[] = [];
    const epochs = new Set([...this.manifests.values()].map(({ epoch }) => epoch));
    for (const epoch of epochs) {
      const chain = [...this.manifests.values()]
        .filter((manifest) => manifest.epoch === epoch)
        .sort((one, other) => one.first - other.first);
      const last = chain.at(-1);
      const listed: Array<{ first: number; last: number; digest: string | null }> = JSON.parse(
        last?.setAside ?? '[]',
      );
      const digests = new Set<string | null>(chain.map(({ digest }) => digest));
      for (const { digest } of listed) digests.add(digest);
      for (const [index, { first, predecessor }] of chain.entries()) {
        const before = chain[index - 1];
        if (first === 1 ? predecessor !== null : !digests.has(predecessor))
          found.push(`${epoch}/${first} follows ${predecessor}, which is not known`);
        if (before && before.last + 1 === first && predecessor !== before.digest)
          found.push(`${epoch}/${first} does not follow ${epoch}/${before.first}`);
      }
      for (let seq = 1; seq <= (last?.last ?? 0); seq += 1) {
        const isListed = listed.some((range) => range.first <= seq && seq <= range.last);
        if (!this.rows.has(`${epoch}/${seq}`) && !isListed) found.push(`${epoch}/${seq} is missing`);
      }
    }
    return found;
  }
}
