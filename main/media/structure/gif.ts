import { type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

const PAGE_BYTES = 64 * 1024;
const TRAILER = 0x3b;
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/** Whether a GIF picture has a decodable size and all its blocks, to the last one. */
export async function checkGif(source: ByteSource): Promise<StructureFault | null> {
  const head = await source.read(0, 13);
  if (head.length < 13) return truncated(`it has ${source.length} bytes`);
  const fault = checkPixels(view(head).getUint16(6, true), view(head).getUint16(8, true));
  if (fault) return fault;
  const byteAt = pagedBytes(source);
  const noEnd = truncated(`it ends at byte ${source.length} without its last block`);

  /** The first byte after a run of sub-blocks, each of which begins with its length. */
  async function afterSubBlocks(from: number): Promise<number> {
    let at = from;
    for (;;) {
      const length = byteAt(at) ?? (await byteAt.load(at));
      if (length === null) return source.length;
      at += 1 + length;
      if (length === 0) return at;
    }
  }

  let hasPixels = false;
  let at = 13 + colourTableBytes(head[10] ?? 0);
  for (;;) {
    switch (byteAt(at) ?? (await byteAt.load(at))) {
      case null:
        return noEnd;
      case TRAILER:
        return hasPixels ? null : undecodable('it has no pixels');
      case EXTENSION:
        at = await afterSubBlocks(at + 2);
        break;
      case IMAGE: {
        const flags = byteAt(at + 9) ?? (await byteAt.load(at + 9));
        if (flags === null) return noEnd;
        hasPixels = true;
        at = await afterSubBlocks(at + 11 + colourTableBytes(flags));
        break;
      }
      default:
        return undecodable(`no block at byte ${at}`);
    }
  }
}

const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Single bytes, without waiting where the page they are on was read; null from `load`: beyond the end. */
function pagedBytes(source: ByteSource) {
  let from = 0;
  let page: Uint8Array = new Uint8Array();
  const byteAt = (at: number): number | undefined => page[at - from];
  const load = async (at: number): Promise<number | null> => {
    from = at;
    page = await source.read(at, PAGE_BYTES);
    return page[0] ?? null;
  };
  return Object.assign(byteAt, { load });
}
