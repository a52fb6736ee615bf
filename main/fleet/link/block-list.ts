import { readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log';
import { type Blocks, blocksOf, NO_BLOCKS } from '../../decisions/blocks';
import { oneByOne } from '../../turns';
import { createWholeFile } from '../../whole-file';
import type { SignedBlocks } from './commands';
import {
  mayBeAddressed,
  NO_STORED_BLOCKS,
  onlyOf,
  readStoredBlocks,
  type StoredBlocks,
  storedBlocksText,
  unionOf,
  withDocument,
} from './stored-blocks';

/** The blocks in force. They survive restarts and apply from the first frame (rule 30). */
export interface BlockList {
  current(): Blocks;
  /** Versions of the stored documents, by addressee. */
  versions(): Readonly<Record<string, number>>;
  /**
   * Takes a document whose signature and addressee were checked. Resolves once it is stored and in force; rejects if
   * it cannot be stored, and then it is not in force.
   *
   * @param by fingerprint of the key that signed it
   */
  take(document: SignedBlocks, by: string): Promise<'taken' | 'known' | 'superseded'>;
  /** Removes the blocks of all other addressees. */
  keepOnly(addressees: readonly string[]): void;
  /** `atOnce`: a blocked play that is on the screen must end, too. */
  onChange(listener: (atOnce: boolean) => void): void;
}

export interface BlockListParts {
  readonly path: string;
  readonly groups: readonly string[];
  /** Fingerprints of `fleet.commandKeys`. Without a key nobody could lift a block, so none applies. */
  readonly keys: ReadonlySet<string>;
  readonly log: Log;
}

/** Opens the stored blocks. If the file cannot be read, starts without any: the broker retains the documents, too. */
export async function openBlockList({ path, groups, keys, log }: BlockListParts): Promise<BlockList> {
  const file = createWholeFile(path, 0o600);
  const listeners = new Set<(atOnce: boolean) => void>();
  const inOrder = oneByOne();
  let kept: StoredBlocks = NO_STORED_BLOCKS;
  let blocks = NO_BLOCKS;

  function put(next: StoredBlocks, atOnce: boolean): void {
    if (next === kept) return;
    kept = next;
    blocks = keys.size > 0 ? blocksOf(unionOf(kept)) : NO_BLOCKS;
    for (const listener of listeners) listener(atOnce);
  }

  async function takeNow(document: SignedBlocks, by: string): Promise<'taken' | 'known' | 'superseded'> {
    const { kept: next, result } = withDocument(kept, document, by, (key) => keys.has(key));
    if (result !== 'taken') return result;
    await file.write(storedBlocksText(next));
    put(next, document.atOnce);
    return 'taken';
  }

  const stored = await readFile(path, 'utf8').catch(() => null);
  const read = stored === null ? NO_STORED_BLOCKS : readStoredBlocks(stored);
  if (read === null) log.error('stored blocks cannot be read; the broker is asked for them', { file: path });
  put(onlyOf(read ?? NO_STORED_BLOCKS, mayBeAddressed(groups)), false);

  return {
    current: () => blocks,
    versions: () => Object.fromEntries([...kept].map(([aud, { version }]) => [aud, version])),
    take: (document, by) => inOrder(() => takeNow(document, by)),
    keepOnly(addressees) {
      const next = onlyOf(kept, (aud) => addressees.includes(aud));
      if (next === kept) return;
      put(next, false);
      file
        .write(storedBlocksText(next))
        .catch((error: unknown) =>
          log.error('blocks of other addressees could not be removed from disk', { error }),
        );
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
