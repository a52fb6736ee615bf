import type { MediaFile } from '../../../shared/ad';

/** A screen or a stage in pixels, as the viewer sees it (after rotation). */
export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

export const isSameSize = (one: ScreenSize, other: ScreenSize): boolean =>
  one.width === other.width && one.height === other.height;

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['video/x-mp4', 'video/mp4'],
  ['video/m4v', 'video/mp4'],
  ['video/x-m4v', 'video/mp4'],
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/apng', 'image/png'],
]);

/**
 * Media types that Chromium shows in a build with H.264, by extension. SVG is missing because it is markup, not a
 * picture. HTML means a page in one document, without an API framework.
 */
const TYPE_OF_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['mp4', 'video/mp4'],
  ['m4v', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['avif', 'image/avif'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
]);

const SHOWN_TYPES: ReadonlySet<string> = new Set(TYPE_OF_EXTENSION.values());

/** Types without information: the extension in the URL decides. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** Codec names in `codecs=` that Chromium decodes in software, as they are written. `mp4a.a5` and `.a6` are AC-3. */
const DECODED = /^(h\.?264|avc[13]?|av0?1|vp0?[89]|mp4a(?!\.a[56])|aac|opus|vorbis|flac|mp3)\b/i;
/**
 * Codecs that Chromium surely does not decode, in the parameters of a type or the free text of VAST's `codec`. Of
 * others the decoder decides: a film with AC-3 plays without sound.
 */
const NOT_DECODED = /hevc|h\.?265|hvc1|hev1|vvc|h\.?266|dvh|prores|theora|mpeg-?2|mp4v/i;

/**
 * The media type as which a file is shown, in its usual spelling and without parameters; null: this kiosk
 * cannot show it. If the document states no type, the extension in the URL decides.
 */
export function mediaTypeOf(file: MediaFile): string | null {
  const [name = '', ...parameters] = file.type.toLowerCase().split(';');
  const stated = name.trim();
  const type = SAYS_NOTHING.has(stated) ? typeOfAddress(file.url) : (ALIASES.get(stated) ?? stated);
  if (type === null || !SHOWN_TYPES.has(type)) return null;
  return NOT_DECODED.test(parameters.join(';')) ? null : type;
}

/**
 * The files of an ad that this kiosk can show, best first. Order: pictures and videos before pages, because no
 * checksum fixes how a page looks; then all others before MOV, because it often holds ProRes; then files before
 * those that the document calls streams, although their type is a file's; then those without an unknown codec;
 * then the orientation of the screen; then the size nearest to the screen's (of two equally near, the one nearer
 * to its shape, else the smaller); then the highest bit rate that is useful at this size; then document order.
 * Only over http(s). Empty: the ad is `no-media` (rule 5).
 */
export function chooseMedia(
  ad: { readonly mediaFiles: readonly MediaFile[] },
  screen: ScreenSize,
): MediaFile[] {
  const fits: { file: MediaFile; rank: readonly number[] }[] = [];
  for (const file of ad.mediaFiles) {
    const type = shownTypeOf(file);
    if (type !== null) {
      const lasts = [
        type === 'text/html',
        type === 'video/quicktime',
        !isProgressive(file),
        hasUnknownCodec(file),
      ].map(Number);
      fits.push({ file, rank: [...lasts, ...rankOf(file, screen)] });
    }
  }
  return fits.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ file }) => file);
}

/** Whether this kiosk can show a file of this ad, on whatever screen: then `chooseMedia` finds one. */
export const isSupported = ({ mediaFiles }: { readonly mediaFiles: readonly MediaFile[] }): boolean =>
  mediaFiles.some((file) => shownTypeOf(file) !== null);

/** `mediaTypeOf` a file that can be fetched and decoded; null: this kiosk shows no such file. */
function shownTypeOf(file: MediaFile): string | null {
  const type = mediaTypeOf(file);
  return type !== null && isWholeFile(file) ? type : null;
}

function isWholeFile(file: MediaFile): boolean {
  if (!/^https?:\/\//i.test(file.url) || !URL.canParse(file.url)) return false;
  return !NOT_DECODED.test(file.codec ?? '');
}

const isProgressive = ({ delivery }: MediaFile) =>
  delivery === null || delivery.toLowerCase() === 'progressive';

function hasUnknownCodec({ type }: MediaFile): boolean {
  const codecs = /codecs\s*=\s*["']?([^"';]*)/i.exec(type)?.[1]?.split(',') ?? [];
  return codecs.some((codec) => codec.trim() !== '' && !DECODED.test(codec.trim()));
}

function typeOfAddress(url: string): string | null {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return TYPE_OF_EXTENSION.get(extension) ?? null;
}

/** Smaller is better; the first difference decides. */
function rankOf(file: MediaFile, screen: ScreenSize): number[] {
  return [orientationRank(file, screen), ...sizeRank(file, screen), ...bitrateRank(file, screen)];
}

function orientationRank({ width, height }: MediaFile, screen: ScreenSize): number {
  if (width === null || height === null) return 1;
  const lies = Math.sign(width - height);
  if (lies === Math.sign(screen.width - screen.height)) return 0;
  return lies === 0 ? 1 : 2;
}

/**
 * How much the file must be scaled to fit, up or down; then how far its shape is from the screen's, because the rest of
 * the screen stays empty; then its area.
 */
function sizeRank({ width, height }: MediaFile, screen: ScreenSize): [number, number, number] {
  if (width === null || height === null) return [Number.MAX_VALUE, 0, 0];
  const [across, down] = [screen.width / width, screen.height / height];
  return [distance(Math.min(across, down)), distance(across / down), width * height];
}

/** How far a factor is from 1, up or down: log2 in thousandths. */
const distance = (factor: number) => Math.round(Math.abs(Math.log2(factor)) * 1_000);

/**
 * Up to about 12 Mbit/s at 1920 × 1080, more is better; above that, less is better. Unknown bit rates come
 * between.
 */
function bitrateRank({ bitrateKbps }: MediaFile, screen: ScreenSize): [number, number] {
  if (bitrateKbps === null) return [1, 0];
  // No ad has 100 Mbit/s: some servers state bit/s where VAST expects kbit/s.
  const kbps = bitrateKbps > 100_000 ? bitrateKbps / 1_000 : bitrateKbps;
  const useful = Math.max(4_000, screen.width * screen.height * 0.006);
  return kbps <= useful ? [0, -kbps] : [2, kbps];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
