import { CARD_PICTURES, CARD_WORDS, type NativeCardContent } from '../../../shared/native';

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
  const { picture, contentInfo, callToAction } = content;
  const words = [
    ...CARD_WORDS.map((name) => content[name]),
    callToAction?.kind === 'text' ? callToAction.text : '',
    contentInfo?.text,
  ];
  const [pictureUrl, infoIcon, small] = await Promise.all([
    usable(picture?.kind === 'image' ? picture.url : null),
    usable(contentInfo?.icon ?? null),
    Promise.all(CARD_PICTURES.map(async (name) => [name, await usable(content[name])] as const)),
    loadFont(words.join(' ')),
  ]);
  return {
    ...content,
    ...Object.fromEntries(small),
    picture: picture?.kind === 'image' && pictureUrl === null ? null : picture,
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
