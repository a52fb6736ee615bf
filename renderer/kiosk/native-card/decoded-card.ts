import type { NativeCardContent } from '../../../shared/native';

/**
 * The card with only such pictures as this window can draw, all of them decoded,
 * and the font of its words loaded: shown afterwards it is complete in its first
 * frame. `decode` resolves to whether a picture can be drawn.
 */
export async function decodedCard(
  content: NativeCardContent,
  decode: (url: string) => Promise<boolean> = decodeImage,
  loadFont: (words: string) => Promise<unknown> = loadCardFont,
): Promise<NativeCardContent> {
  const usable = async (url: string | null): Promise<string | null> =>
    url !== null && (await decode(url)) ? url : null;
  const { picture, contentInfo, title, description, callToAction } = content;
  const words = [
    title,
    description,
    callToAction?.kind === 'text' ? callToAction.text : '',
    contentInfo?.text,
  ];
  const [pictureUrl, icon, infoIcon] = await Promise.all([
    usable(picture?.kind === 'image' ? picture.url : null),
    usable(content.icon),
    usable(contentInfo?.icon ?? null),
    loadFont(words.join(' ')),
  ]);
  return {
    ...content,
    picture: picture?.kind === 'image' && pictureUrl === null ? null : picture,
    icon,
    contentInfo: contentInfo === null ? null : { ...contentInfo, icon: infoIcon },
  };
}

async function decodeImage(url: string): Promise<boolean> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return true;
  } catch {
    return false;
  }
}

/** The parts of the product's own font that these words need; a font that cannot be read gives way to another. */
async function loadCardFont(words: string): Promise<void> {
  await document.fonts.load('1em "Inter Variable"', words).catch(() => []);
}
