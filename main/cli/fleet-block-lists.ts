import { Block } from '../fleet/link/commands';
import { UsageError } from './command-result';

/** `KIND:ID`, as operators write it. A URL loses its query and fragment. */
export function parseBlock(words: string): Block {
  const at = words.indexOf(':');
  const [kind, id] = [words.slice(0, at), words.slice(at + 1)];
  const read = Block.safeParse({ kind, id: kind === 'url' ? id.replace(/[?#].*$/s, '') : id });
  if (read.success) return read.data;
  throw new UsageError(
    `expected flight:ID, campaign:ID, source:ID, ad:ID, sha256:HEX or url:URL, got ${JSON.stringify(words)}`,
  );
}

export const blockName = ({ kind, id }: Block): string => `${kind}:${id}`;

export const blockNames = (blocks: readonly Block[]): Set<string> => new Set(blocks.map(blockName));

/** The known blocks and more, each once, in the order in which they came. */
export function addBlocks(known: readonly Block[], more: readonly Block[]): Block[] {
  return [...new Map([...known, ...more].map((block) => [blockName(block), block])).values()];
}

/** The known blocks without those in `less`. */
export function removeBlocks(known: readonly Block[], less: readonly Block[]): Block[] {
  const lifted = blockNames(less);
  return known.filter((block) => !lifted.has(blockName(block)));
}
