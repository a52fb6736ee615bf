import { z } from 'zod';
import { Block, MAX_BLOCKS } from './block';
import type { SignedBlocks } from './commands';
import type { Addressee } from './topics';

/** The stored blocks of one addressee. */
const Kept = z.object({
  version: z.int().min(1),
  blocks: z.array(Block).max(MAX_BLOCKS),
  /** Fingerprint of the key that signed it; null: an older Endcap stored it. */
  by: z.string().max(128).nullable().default(null),
});
type Kept = z.infer<typeof Kept>;

/** By addressee, the document with the highest version so far. */
export type StoredBlocks = ReadonlyMap<string, Kept>;

const File = z.object({ version: z.literal(1), documents: z.record(z.string().max(128), Kept) });

export const NO_STORED_BLOCKS: StoredBlocks = new Map();

/**
 * Takes a document only if its version is higher than that of its addressee's stored one (rule 30), or if the key of
 * the stored one was removed since: whoever had that key must not keep others from lifting its blocks.
 * `known`: the same document again; `superseded`: a lower version, or other blocks under the same version.
 *
 * @param by fingerprint of the key that signed the document
 * @param hasKey whether a key is still in `fleet.commandKeys`
 */
export function withDocument(
  kept: StoredBlocks,
  { aud, version, blocks }: Pick<SignedBlocks, 'aud' | 'version' | 'blocks'>,
  by: string,
  hasKey: (fingerprint: string) => boolean,
): { readonly kept: StoredBlocks; readonly result: 'taken' | 'known' | 'superseded' } {
  const before = kept.get(aud);
  const isOrphan = before !== undefined && before.by !== null && !hasKey(before.by);
  if (before === undefined || isOrphan || version > before.version) {
    return { kept: new Map(kept).set(aud, { version, blocks, by }), result: 'taken' };
  }
  const isSame = version === before.version && JSON.stringify(blocks) === JSON.stringify(before.blocks);
  return { kept, result: isSame ? 'known' : 'superseded' };
}

/** Only the documents that are addressed to this kiosk: those of groups that it left no longer count. */
export function onlyOf(kept: StoredBlocks, isAddressed: (aud: string) => boolean): StoredBlocks {
  if ([...kept.keys()].every(isAddressed)) return kept;
  return new Map([...kept].filter(([aud]) => isAddressed(aud)));
}

export const storedBlocksText = (kept: StoredBlocks): string =>
  `${JSON.stringify({ version: 1, documents: Object.fromEntries(kept) })}\n`;

/** Parses what `storedBlocksText` wrote; throws where it is something else. */
export const readStoredBlocks = (text: string): StoredBlocks =>
  new Map(Object.entries(File.parse(JSON.parse(text)).documents));

/** Whether an addressee may mean this kiosk. At this point its groups are known, but its own id is not. */
export const mayBeAddressed =
  (groups: readonly string[]) =>
  (aud: string): boolean =>
    aud === 'all' ||
    aud.startsWith('kiosk:') ||
    groups.some((group) => aud === (`group:${group}` satisfies Addressee));
