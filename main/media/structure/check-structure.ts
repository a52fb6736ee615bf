import { READ_IN_PLACE, type Reading } from '../../reading/reading';
import type { MediaForm } from '../media-type';
import type { ByteSource } from './byte-source';
import { MAX_HEAD_BYTES, MAX_PAGE_BYTES } from './head-bytes';
import { type StructureFault, undecodable } from './structure-fault';

/**
 * Says what a file is by its bytes, or why it cannot be shown. Of pictures and
 * videos it reads the first 64 KiB, and up to 4 MiB of a picture that says its
 * size later; of pages the whole. It decodes nothing: what only a decoder can
 * find, the stage finds.
 */
export async function checkStructure(
  reading: Pick<Reading, 'read'>,
  source: ByteSource,
  form: MediaForm = 'media',
): Promise<{ readonly type: string } | StructureFault> {
  if (form === 'page') {
    // One byte more than is shown, so that the reader sees that it is too long.
    const found = await reading.read('page', await source.read(0, MAX_PAGE_BYTES + 1), undefined);
    return 'kind' in found ? undecodable(found.message) : found;
  }
  const found = await checkHead(reading, source, READ_IN_PLACE);
  if (!('code' in found) || found.code !== 'undecodable' || source.length <= READ_IN_PLACE) return found;
  return checkHead(reading, source, MAX_HEAD_BYTES);
}

async function checkHead(
  reading: Pick<Reading, 'read'>,
  source: ByteSource,
  bytes: number,
): Promise<{ readonly type: string } | StructureFault> {
  const found = await reading.read('media', await source.read(0, bytes), undefined);
  return 'kind' in found ? undecodable(found.message) : found;
}
