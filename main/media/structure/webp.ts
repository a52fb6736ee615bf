import { ascii, type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

/** Whether a WebP picture has a decodable size and is as long as it says. */
export async function checkWebp(source: ByteSource): Promise<StructureFault | null> {
  const head = await source.read(0, 30);
  if (head.length < 30) return truncated(`it has ${source.length} bytes`);
  const fields = view(head);
  const end = 8 + fields.getUint32(4, true);
  if (end > source.length) return truncated(`it should have ${end} bytes, there are ${source.length}`);
  switch (ascii(head, 12, 16)) {
    case 'VP8X':
      return checkPixels(1 + uint24(head, 24), 1 + uint24(head, 27));
    case 'VP8L': {
      // Two sizes of 14 bits, less one, after a signature byte.
      const bits = fields.getUint32(21, true);
      return checkPixels(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
    }
    case 'VP8 ':
      return checkPixels(fields.getUint16(26, true) & 0x3fff, fields.getUint16(28, true) & 0x3fff);
    default:
      return undecodable('it has no pixels');
  }
}

const uint24 = (bytes: Uint8Array, at: number) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
