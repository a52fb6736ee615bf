import { CARD_PICTURES, CARD_WORDS, type NativeCardContent } from '../../../shared/native';
import type { Size } from '../view';

/**
 * Decodes the pictures of a card and loads the font of its texts, so that it is complete in its first frame. Resolves
 * with the card without the pictures that cannot be decoded, and with the size of its main one, which may be another
 * than the service states. `decode` resolves with the size of a picture, px, or with null if it cannot be decoded.
 */
export async function decodedCard(
  content: NativeCardContent,
  decode: (url: string) => Promise<Size | null> = decodeImage,
): Promise<NativeCardContent> {
  const usable = async (url: string | null): Promise<string | null> =>
    url !== null && (await decode(url)) ? url : null;
  const { picture, contentInfo, callToAction } = content;
  const words = [
    ...CARD_WORDS.map((name) => content[name]),
    callToAction?.kind === 'text' ? callToAction.text : '',
    contentInfo?.text,
  ];
  const [size, infoIcon, small] = await Promise.all([
    picture?.kind === 'image' ? decode(picture.url) : null,
    usable(contentInfo?.icon ?? null),
    Promise.all(CARD_PICTURES.map(async (name) => [name, await usable(content[name])] as const)),
    // The files of Inter that these words need. If that fails, the browser uses another font.
    document.fonts.load('1em "Inter Variable"', words.join(' ')).catch(() => []),
  ]);
  return {
    ...content,
    ...Object.fromEntries(small),
    picture: picture?.kind === 'image' ? size && { ...picture, ...size } : picture,
    contentInfo: contentInfo === null ? null : { ...contentInfo, icon: infoIcon },
  };
}

async function decodeImage(url: string): Promise<Size | null> {
  const image = new Image();
  image.src = url;
  const decoded = image.decode().then(() => ({ width: image.naturalWidth, height: image.naturalHeight }));
  return await decoded.catch(() => null);
}
