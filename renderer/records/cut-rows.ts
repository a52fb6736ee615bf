import type { EpochRow } from './rows';

/**
 * Up to which number the rows of each epoch are cut. Rows that are in no segment yet are known only to the reader that
 * makes the segment. So their mark is held here, in memory, and reading writes nothing; the mark is stored with a
 * segment or when a cut row changes. When it is forgotten or the window dies, `readSequence` and `storeSegment` reject
 * the reader's rows, and the reader begins again after the last stored segment.
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
