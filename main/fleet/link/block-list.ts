import type { Log } from '../../../shared/log';
import { type Blocks, blocksOf, NO_BLOCKS } from '../../decisions/blocks';
import { openStateFile } from '../../state-file';
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
  const listeners = new Set<(atOnce: boolean) => void>();
  let isAddressed = mayBeAddressed(groups);
  const file = await openStateFile<StoredBlocks>({
    path,
    write: storedBlocksText,
    nothing: NO_STORED_BLOCKS,
    ifUnread: 'replace',
    log,
    read: readStoredBlocks,
    unread: 'stored blocks cannot be read; the broker is asked for them',
    notStored: 'blocks of other addressees could not be removed from disk',
  });
  let kept: StoredBlocks = NO_STORED_BLOCKS;
  let blocks: Blocks = NO_BLOCKS;

  /** Puts the stored documents into force. */
  function put(atOnce: boolean): void {
    const next = keys.size > 0 ? onlyOf(file.now(), isAddressed) : NO_STORED_BLOCKS;
    if (next === kept) return;
    kept = next;
    blocks = blocksOf([...kept.values()].flatMap((document) => document.blocks));
    for (const listener of listeners) listener(atOnce);
  }
  put(false);

  return {
    current: () => blocks,
    /** Versions of the documents in force, by addressee. */
    versions: () => Object.fromEntries([...kept].map(([aud, { version }]) => [aud, version])),
    /**
     * Takes a document whose signature and addressee were checked. Resolves once it is stored and in force; rejects if
     * it cannot be stored, and then it is not in force.
     *
     * @param by fingerprint of the key that signed it
     */
    async take(document: SignedBlocks, by: string) {
      let result = 'superseded' as ReturnType<typeof withDocument>['result'];
      const stored = file.change((before) => {
        const given = withDocument(onlyOf(before, isAddressed), document, by, (key) => keys.has(key));
        result = given.result;
        return given.kept;
      });
      // Even if it rejects: earlier ones may have been read only now.
      await stored.finally(() => put(document.atOnce));
      return result;
    },
    /** Removes the blocks of all other addressees. */
    keepOnly(addressees: readonly string[]): void {
      isAddressed = (aud) => addressees.includes(aud);
      put(false);
      void file.changeEvenIfNotStored((stored) => onlyOf(stored, isAddressed)).then(() => put(false));
    },
    /** `atOnce`: a blocked play that is on the screen must end, too. */
    onChange: (listener: (atOnce: boolean) => void) => void listeners.add(listener),
  };
}
