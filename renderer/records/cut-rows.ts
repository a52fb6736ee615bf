import type { EpochRow } from './database';

/**
 * Up to where the rows of each epoch are cut. Rows that are in no segment yet are known to the one reader alone who
 * makes it. So they are remembered here, in memory, and reading writes nothing; a stored segment, or a row that changes,
 * stores the mark. When this is forgotten or the window dies, the reader's rows count for nothing: `readSequence` and
 * `storeSegment` refuse to go on from them, and it begins again behind the last stored segment.
 */
export interface CutRows {
  /** Rows up to this number are cut: they were read here, or the mark is stored. */
  upTo(row: Pick<EpochRow, 'epoch' | 'cut'>): number;
  /** The rows of this epoch up to `seq` were read. */
  add(epoch: number, seq: number): void;
  forget(): void;
}

export function createCutRows(): CutRows {
  const read = new Map<number, number>();
  return {
    upTo: ({ epoch, cut }) => Math.max(cut, read.get(epoch) ?? 0),
    add: (epoch, seq) => read.set(epoch, Math.max(seq, read.get(epoch) ?? 0)),
    forget: () => read.clear(),
  };
}
