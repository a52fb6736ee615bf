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

/** The known blocks and more, each once, in the order in which they came. */
export function addBlocks(known: readonly Block[], more: readonly Block[]): Block[] {
  return [...new Map([...known, ...more].map((block) => [blockName(block), block])).values()];
}

/** The known blocks without those in `less`. */
export function removeBlocks(known: readonly Block[], less: readonly Block[]): Block[] {
  const lifted = new Set(less.map(blockName));
  return known.filter((block) => !lifted.has(blockName(block)));
}

/** Whether all of the things are blocked or, for `areBlocked` false, none of them. */
export function haveBlockState(
  known: readonly Block[],
  things: readonly Block[],
  areBlocked: boolean,
): boolean {
  const names = new Set(known.map(blockName));
  return things.every((thing) => names.has(blockName(thing)) === areBlocked);
}
