import { READ_IN_PLACE, type Reading } from '../../reading/reading';
import type { ByteSource } from '../disk';
import {
  MAX_HEAD_BYTES,
  MAX_PAGE_BYTES,
  type MediaForm,
  type StructureError,
  TYPE_BYTES,
  truncated,
  undecodable,
} from '../media-type';
import { statedWebmLength } from './webm-length';

/**
 * The type of a file, or why it cannot be shown. Reads the first 64 KiB of a picture or video, up to 4 MiB of
 * a picture whose size comes later, and all of a page. It decodes nothing: the stage finds errors that only a
 * decoder can find.
 */
export async function checkStructure(
  reading: Pick<Reading, 'read'>,
  source: ByteSource,
  form: MediaForm = 'media',
): Promise<{ readonly type: string } | StructureError> {
  const read = async (reader: 'page' | 'media', bytes: number) => {
    const found = await reading.read(reader, await source.read(0, bytes), undefined);
    return 'kind' in found ? undecodable(found.message) : found;
  };
  // One byte more than the limit, so that the reader notices a page that is too long.
  if (form === 'page') return read('page', MAX_PAGE_BYTES + 1);
  const found = await read('media', READ_IN_PLACE);
  if ('type' in found && found.type === 'video/webm') return (await cutOffWebm(source)) ?? found;
  if (!('code' in found) || found.code !== 'undecodable' || source.length <= READ_IN_PLACE) return found;
  return read('media', MAX_HEAD_BYTES);
}

/** The decoder does not tell a WebM file that is cut off from one whose last picture lasts: both end early. */
async function cutOffWebm(source: ByteSource): Promise<StructureError | null> {
  const stated = statedWebmLength(await source.read(0, TYPE_BYTES));
  if (stated === null || stated <= source.length) return null;
  return truncated(`a file of ${stated} bytes, as it states; only ${source.length} are there`);
}
