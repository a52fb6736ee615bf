import { findBoxes, isFault, readBoxes } from './boxes';
import { type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

/** Whether an AVIF picture is whole, and no larger than can be decoded. */
export async function checkAvif(source: ByteSource): Promise<StructureFault | null> {
  const boxes = await readBoxes(source, 0, source.length);
  if (isFault(boxes)) return boxes;
  const meta = boxes.find((box) => box.name === 'meta');
  if (!meta) return truncated('it has no description ("meta")');
  if (!boxes.some((box) => box.name === 'mdat')) return truncated('it has no content ("mdat")');
  // "meta" is a full box: four bytes of version and flags come first.
  const sizes = await findBoxes(source, { from: meta.from + 4, to: meta.to }, ['iprp', 'ipco', 'ispe']);
  if (isFault(sizes)) return sizes;
  if (sizes.length === 0) return undecodable('it states no size ("ispe")');
  for (const size of sizes) {
    if (size.to - size.from < 12) return undecodable('a size without numbers ("ispe")');
    const fields = view(await source.read(size.from, 12));
    const fault = checkPixels(fields.getUint32(4), fields.getUint32(8));
    if (fault) return fault;
  }
  return null;
}
