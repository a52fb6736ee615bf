import { z } from 'zod';
import { Block, MAX_BLOCKS, type SignedBlocks } from './commands';
import type { Addressee } from './topics';

/** What a kiosk keeps of the blocks of one addressee. */
const Kept = z.object({
  version: z.int().min(1),
  blocks: z.array(Block).max(MAX_BLOCKS),
});
type Kept = z.infer<typeof Kept>;

/** Of each addressee the document with the highest version so far. */
export type KeptBlocks = ReadonlyMap<string, Kept>;

const File = z.object({ version: z.literal(1), documents: z.record(z.string().max(128), Kept) });

export const NOTHING_KEPT: KeptBlocks = new Map();

/**
 * What a document changes (rule 30): nothing, unless its version is higher than that of its addressee's last one.
 * `superseded`: a lower one, or other blocks under the same version.
 */
export function withDocument(
  kept: KeptBlocks,
  { aud, version, blocks }: Pick<SignedBlocks, 'aud' | 'version' | 'blocks'>,
): { readonly kept: KeptBlocks; readonly result: 'taken' | 'known' | 'superseded' } {
  const before = kept.get(aud);
  if (before === undefined || version > before.version) {
    return { kept: new Map(kept).set(aud, { version, blocks }), result: 'taken' };
  }
  const isSame = version === before.version && JSON.stringify(blocks) === JSON.stringify(before.blocks);
  return { kept, result: isSame ? 'known' : 'superseded' };
}

/** Only those that are addressed to this kiosk: groups that it left lose their say. */
export function onlyOf(kept: KeptBlocks, isAddressed: (aud: string) => boolean): KeptBlocks {
  if ([...kept.keys()].every(isAddressed)) return kept;
  return new Map([...kept].filter(([aud]) => isAddressed(aud)));
}

/** All that is blocked: the union of all addressees. */
export const unionOf = (kept: KeptBlocks): readonly Block[] =>
  [...kept.values()].flatMap(({ blocks }) => blocks);

export const keptAsText = (kept: KeptBlocks): string =>
  `${JSON.stringify({ version: 1, documents: Object.fromEntries(kept) })}\n`;

/** Null: it cannot be read. */
export function readKept(text: string): KeptBlocks | null {
  try {
    return new Map(Object.entries(File.parse(JSON.parse(text)).documents));
  } catch {
    return null;
  }
}

/** Whether an addressee may be this kiosk's, as far as its groups are known and its own name is not yet. */
export const mayBeAddressed =
  (groups: readonly string[]) =>
  (aud: string): boolean =>
    aud === 'all' ||
    aud.startsWith('kiosk:') ||
    groups.some((group) => aud === (`group:${group}` satisfies Addressee));
