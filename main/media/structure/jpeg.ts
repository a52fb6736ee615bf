import { type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

const MAX_SEGMENTS = 10_000;
const SEARCH_BYTES = 256 * 1024;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** Frame headers SOF0 to SOF15, without the three markers in between that are something else. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const standsAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * Whether a JPEG picture has a decodable size and is whole: browsers paint what
 * is missing of a truncated one grey.
 */
export async function checkJpeg(source: ByteSource): Promise<StructureFault | null> {
  let sized = false;
  let at = 2;
  for (let segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const head = await source.read(at, 10);
    if (head.length < 4) return truncated(`it ends at byte ${source.length}, before its pixels`);
    const [first, marker = 0] = head;
    if (first !== 0xff) return undecodable(`no marker at byte ${at}`);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (standsAlone(marker)) {
      at += 2;
      continue;
    }
    if (marker === 0xd9) return undecodable('it has no pixels');
    const length = view(head).getUint16(2);
    if (length < 2) return undecodable(`a segment of ${length} bytes`);
    if (isFrame(marker)) {
      if (head.length < 9) return truncated(`it ends at byte ${source.length}, within its size`);
      const fault = checkPixels(view(head).getUint16(7), view(head).getUint16(5));
      if (fault) return fault;
      sized = true;
    }
    at += 2 + length;
    if (marker === 0xda) {
      if (!sized) return undecodable('it states no size');
      return (await hasEnd(source, at)) ? null : truncated('it has no end');
    }
  }
  return undecodable(`more than ${MAX_SEGMENTS} segments`);
}

/** Within coded pixels the two bytes can be nothing but the end. */
async function hasEnd(source: ByteSource, from: number): Promise<boolean> {
  for (let at = from; at < source.length; at += SEARCH_BYTES - 1) {
    const part = await source.read(at, SEARCH_BYTES);
    if (Buffer.from(part.buffer, part.byteOffset, part.byteLength).includes(END_OF_IMAGE)) return true;
  }
  return false;
}
