import type { Log } from '../../../shared/log';
import { type Blocks, blocksOf, NO_BLOCKS } from '../../decisions/blocks';
import { oneByOne } from '../../turns';
import { createWholeFile, readTextIfThere } from '../../whole-file';
import type { SignedBlocks } from './commands';
import {
  mayBeAddressed,
  NO_STORED_BLOCKS,
  onlyOf,
  readStoredBlocks,
  type StoredBlocks,
  storedBlocksText,
  withDocument,
} from './stored-blocks';

export type BlockList = Awaited<ReturnType<typeof openBlockList>>;

/**
 * Opens the blocks in force. They survive restarts and apply from the first frame (rule 30). If the file cannot be
 * read, starts without any: the broker retains the documents, too. It is read again before it is replaced, or a document
 * of a lower version would count.
 *
 * @param parts.keys fingerprints of `fleet.commandKeys`. Without a key nobody could lift a block, so none applies.
 */
export async function openBlockList(parts: {
  readonly path: string;
  readonly groups: readonly string[];
  readonly keys: ReadonlySet<string>;
  readonly log: Log;
}) {
  const { path, groups, keys, log } = parts;
  const file = createWholeFile(path, 0o600);
  const listeners = new Set<(atOnce: boolean) => void>();
  const inOrder = oneByOne();
  let kept: StoredBlocks = NO_STORED_BLOCKS;
  let blocks: Blocks = NO_BLOCKS;
  let isUnread = false;

  function put(next: StoredBlocks, atOnce: boolean): void {
    if (next === kept) return;
    kept = next;
    blocks = keys.size > 0 ? blocksOf([...kept.values()].flatMap((document) => document.blocks)) : NO_BLOCKS;
    for (const listener of listeners) listener(atOnce);
  }

  async function read(): Promise<void> {
    const unread = () =>
      log.error('stored blocks cannot be read; the broker is asked for them', { file: path });
    try {
      const text = await readTextIfThere(path);
      isUnread = false;
      const stored = text === null ? NO_STORED_BLOCKS : readStoredBlocks(text);
      if (stored === null) unread();
      put(onlyOf(stored ?? NO_STORED_BLOCKS, mayBeAddressed(groups)), false);
    } catch {
      isUnread = true;
      unread();
    }
  }

  async function takeNow(document: SignedBlocks, by: string) {
    if (isUnread) await read();
    isUnread = false;
    const { kept: next, result } = withDocument(kept, document, by, (key) => keys.has(key));
    if (result !== 'taken') return result;
    await file.write(storedBlocksText(next));
    put(next, document.atOnce);
    return result;
  }

  await read();

  return {
    current: () => blocks,
    /** Versions of the stored documents, by addressee. */
    versions: () => Object.fromEntries([...kept].map(([aud, { version }]) => [aud, version])),
    /**
     * Takes a document whose signature and addressee were checked. Resolves once it is stored and in force; rejects if
     * it cannot be stored, and then it is not in force.
     *
     * @param by fingerprint of the key that signed it
     */
    take: (document: SignedBlocks, by: string) => inOrder(() => takeNow(document, by)),
    /** Removes the blocks of all other addressees. */
    keepOnly(addressees: readonly string[]): void {
      const next = onlyOf(kept, (aud) => addressees.includes(aud));
      if (next === kept) return;
      put(next, false);
      file
        .write(storedBlocksText(next))
        .catch((error: unknown) =>
          log.error('blocks of other addressees could not be removed from disk', { error }),
        );
    },
    /** `atOnce`: a blocked play that is on the screen must end, too. */
    onChange: (listener: (atOnce: boolean) => void) => void listeners.add(listener),
  };
}
