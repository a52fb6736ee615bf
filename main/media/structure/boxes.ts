import { ascii, type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';

/** A box of an ISO base media file (MP4, AVIF): its name and where its content lies. */
export interface Box {
  readonly name: string;
  /** First byte of the content, after the box's header. */
  readonly from: number;
  /** First byte after the box. */
  readonly to: number;
}

/** Nobody's file has more boxes at one level; a damaged one could have a million. */
const MAX_BOXES = 20_000;

/**
 * The boxes between two positions, in order. A box that reaches beyond `to` says
 * that the file was cut.
 */
export async function readBoxes(
  source: ByteSource,
  from: number,
  to: number,
): Promise<readonly Box[] | StructureFault> {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    if (boxes.length === MAX_BOXES) return undecodable(`more than ${MAX_BOXES} boxes`);
    const head = await source.read(at, 16);
    // Zeros or a few bytes after the last box are padding that players ignore.
    if (head.length < 8) return boxes.length > 0 && to - at < 8 ? boxes : truncated(`no box at byte ${at}`);
    const name = ascii(head, 4, 8);
    const fields = view(head);
    const short = fields.getUint32(0);
    if (short === 0 && name === '\0\0\0\0') return boxes;
    let size = short;
    let headLength = 8;
    if (short === 0) size = to - at;
    else if (short === 1) {
      if (head.length < 16) return truncated(`the size of ${printable(name)} is cut off`);
      size = Number(fields.getBigUint64(8));
      headLength = 16;
    }
    if (size < headLength) return undecodable(`a box ${printable(name)} of ${size} bytes`);
    if (at + size > to) {
      return truncated(`${printable(name)} should reach to byte ${at + size}, there are ${to}`);
    }
    boxes.push({ name, from: at + headLength, to: at + size });
    at += size;
  }
  return boxes;
}

export const isFault = <T extends object>(found: T | StructureFault): found is StructureFault =>
  'code' in found;

/** The boxes on a path of names below a range, all that fit. */
export async function findBoxes(
  source: ByteSource,
  within: Pick<Box, 'from' | 'to'>,
  [name, ...deeper]: readonly string[],
): Promise<readonly Box[] | StructureFault> {
  const boxes = await readBoxes(source, within.from, within.to);
  if (isFault(boxes)) return boxes;
  const named = boxes.filter((box) => box.name === name);
  if (deeper.length === 0) return named;
  const found: Box[] = [];
  for (const box of named) {
    const below = await findBoxes(source, box, deeper);
    if (isFault(below)) return below;
    found.push(...below);
  }
  return found;
}

const printable = (name: string) => JSON.stringify(name);
