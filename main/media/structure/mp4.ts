import { type Box, findBoxes, isFault, readBoxes } from './boxes';
import { ascii, type ByteSource, type StructureFault, truncated, undecodable, view } from './byte-source';
import { checkPixels } from './pixels';

/** Entries of a chunk table that are read at once. */
const OFFSETS_AT_ONCE = 8_192;

/**
 * Whether an MP4 file can be played from disk: an index (`moov`, at either end),
 * a picture track with a size, and every chunk the index names within the file.
 */
export async function checkMp4(source: ByteSource): Promise<StructureFault | null> {
  const boxes = await readBoxes(source, 0, source.length);
  if (isFault(boxes)) return boxes;
  if (boxes[0]?.name !== 'ftyp') return undecodable('it does not begin with "ftyp"');
  const moov = boxes.find((box) => box.name === 'moov');
  if (!moov) return truncated('it has no index ("moov")');
  if (!boxes.some((box) => box.name === 'mdat')) return truncated('it has no content ("mdat")');
  const tracks = await findBoxes(source, moov, ['trak']);
  if (isFault(tracks)) return tracks;
  let pictures = 0;
  for (const track of tracks) {
    const fault = (await checkChunks(source, track)) ?? (await checkPicture(source, track));
    if (fault && fault !== 'no-picture') return fault;
    if (fault === null) pictures += 1;
  }
  return pictures > 0 ? null : undecodable('it has no picture track');
}

async function checkPicture(source: ByteSource, track: Box): Promise<StructureFault | 'no-picture' | null> {
  const handlers = await findBoxes(source, track, ['mdia', 'hdlr']);
  if (isFault(handlers)) return handlers;
  const kind = handlers[0] ? ascii(await source.read(handlers[0].from + 8, 4), 0, 4) : '';
  if (kind !== 'vide') return 'no-picture';
  const headers = await findBoxes(source, track, ['tkhd']);
  if (isFault(headers)) return headers;
  const header = headers[0];
  if (!header || header.to - header.from < 84) return undecodable('a track without a header');
  // Width and height are the header's last fields, in 65,536ths of a pixel.
  const size = await source.read(header.to - 8, 8);
  return checkPixels(view(size).getUint32(0) / 65_536, view(size).getUint32(4) / 65_536);
}

/** Every chunk must begin within the file. An index without chunks (fragments) has nothing to check. */
async function checkChunks(source: ByteSource, track: Box): Promise<StructureFault | null> {
  for (const [name, width] of [
    ['stco', 4],
    ['co64', 8],
  ] as const) {
    const tables = await findBoxes(source, track, ['mdia', 'minf', 'stbl', name]);
    if (isFault(tables)) return tables;
    for (const table of tables) {
      const last = await lastOffset(source, table, width);
      if (last === null) return undecodable(`a table "${name}" that does not fit its box`);
      if (last >= source.length) {
        return truncated(`its index names byte ${last}, there are ${source.length}`);
      }
    }
  }
  return null;
}

/** The largest offset of a chunk table; -1 when it is empty, null when it says more than it holds. */
async function lastOffset(source: ByteSource, table: Box, width: 4 | 8): Promise<number | null> {
  const head = await source.read(table.from, 8);
  if (table.to - table.from < 8) return null;
  const entries = view(head).getUint32(4);
  if (table.from + 8 + entries * width > table.to) return null;
  let last = -1;
  for (let entry = 0; entry < entries; entry += OFFSETS_AT_ONCE) {
    const count = Math.min(OFFSETS_AT_ONCE, entries - entry);
    const fields = view(await source.read(table.from + 8 + entry * width, count * width));
    for (let index = 0; index < count; index += 1) {
      const offset = width === 4 ? fields.getUint32(index * 4) : Number(fields.getBigUint64(index * 8));
      last = Math.max(last, offset);
    }
  }
  return last;
}
