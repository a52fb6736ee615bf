import { readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log';
import { type Blocks, blocksOf, NO_BLOCKS } from '../../decisions/blocks';
import { oneByOne } from '../../one-by-one';
import { createWholeFile } from '../../whole-file';
import {
  type KeptBlocks,
  keptAsText,
  mayBeAddressed,
  NOTHING_KEPT,
  onlyOf,
  readKept,
  unionOf,
  withDocument,
} from './blocks-in-force';
import type { SignedBlocks } from './commands';

/** What may not be shown, kept across restarts: stored blocks hold from the first frame (rule 30). */
export interface BlockList {
  current(): Blocks;
  /** By addressee. */
  versions(): Readonly<Record<string, number>>;
  /**
   * Takes a document whose signature and addressee were checked. Resolves once it is stored and in force; rejects where
   * it could not be stored, and then it is not in force either.
   */
  take(document: SignedBlocks): Promise<'taken' | 'known' | 'superseded'>;
  /** From now on only these addressees count. */
  keepOnly(addressees: readonly string[]): void;
  /** `atOnce`: what is on the screen now goes, too. */
  onChange(listener: (atOnce: boolean) => void): void;
}

export interface BlockListParts {
  readonly path: string;
  readonly groups: readonly string[];
  /** Without `fleet.commandKeys` nobody could lift a block: none holds. */
  readonly isObeyed: boolean;
  readonly log: Log;
}

/** Reads what earlier runs kept. A file that cannot be read is as good as none: the broker has the documents, too. */
export async function openBlockList({ path, groups, isObeyed, log }: BlockListParts): Promise<BlockList> {
  const file = createWholeFile(path, 0o600);
  const listeners = new Set<(atOnce: boolean) => void>();
  const inOrder = oneByOne();
  let kept: KeptBlocks = NOTHING_KEPT;
  let blocks = NO_BLOCKS;

  function put(next: KeptBlocks, atOnce: boolean): void {
    if (next === kept) return;
    kept = next;
    blocks = isObeyed ? blocksOf(unionOf(kept)) : NO_BLOCKS;
    for (const listener of listeners) listener(atOnce);
  }

  async function takeNow(document: SignedBlocks): Promise<'taken' | 'known' | 'superseded'> {
    const { kept: next, result } = withDocument(kept, document);
    if (result !== 'taken') return result;
    await file.write(keptAsText(next));
    put(next, document.atOnce);
    return 'taken';
  }

  const stored = await readFile(path, 'utf8').catch(() => null);
  const read = stored === null ? NOTHING_KEPT : readKept(stored);
  if (read === null) log.error('stored blocks cannot be read; the broker is asked for them', { file: path });
  put(onlyOf(read ?? NOTHING_KEPT, mayBeAddressed(groups)), false);

  return {
    current: () => blocks,
    versions: () => Object.fromEntries([...kept].map(([aud, { version }]) => [aud, version])),
    take: (document) => inOrder(() => takeNow(document)),
    keepOnly(addressees) {
      const next = onlyOf(kept, (aud) => addressees.includes(aud));
      if (next === kept) return;
      put(next, false);
      file
        .write(keptAsText(next))
        .catch((error: unknown) => log.error('blocks of others could not be removed', { error }));
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
