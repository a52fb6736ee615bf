import { type MediaForm, PAGE_TYPE, sniffMediaType } from '../media-type';
import { checkAvif } from './avif';
import type { ByteSource, StructureFault } from './byte-source';
import { checkGif } from './gif';
import { checkJpeg } from './jpeg';
import { checkMp4 } from './mp4';
import { checkPage } from './page';
import { checkPng } from './png';
import { checkWebm } from './webm';
import { checkWebp } from './webp';

const CHECKS: Readonly<Record<string, (source: ByteSource) => Promise<StructureFault | null>>> = {
  'image/png': checkPng,
  'image/jpeg': checkJpeg,
  'image/webp': checkWebp,
  'image/gif': checkGif,
  'image/avif': checkAvif,
  'video/mp4': checkMp4,
  'video/webm': checkWebm,
};

/**
 * Says what a file is by its bytes, or why it cannot be shown: not media at all,
 * cut off, damaged, or larger than can be decoded. Of videos it reads some kilobytes,
 * of pictures at most the whole once, in pieces. It decodes nothing: what only a
 * decoder can find, the stage finds.
 */
export async function checkStructure(
  source: ByteSource,
  form: MediaForm = 'media',
): Promise<{ readonly type: string } | StructureFault> {
  if (form === 'page') return (await checkPage(source)) ?? { type: PAGE_TYPE };
  const type = sniffMediaType(await source.read(0, 64));
  const check = type === null ? undefined : CHECKS[type];
  if (type === null || check === undefined) {
    return { code: 'not-media', detail: 'neither an image nor a video this kiosk shows' };
  }
  return (await check(source)) ?? { type };
}
