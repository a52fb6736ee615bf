import type { NativeCardContent } from '../../../shared/native';

/**
 * The card with only such pictures as this window can draw, all of them decoded:
 * shown afterwards it is complete in its first frame. `decode` resolves to
 * whether a picture can be drawn.
 */
export async function decodedCard(
  content: NativeCardContent,
  decode: (url: string) => Promise<boolean> = decodeImage,
): Promise<NativeCardContent> {
  const usable = async (url: string | null): Promise<string | null> =>
    url !== null && (await decode(url)) ? url : null;
  const { picture, contentInfo } = content;
  const [pictureUrl, icon, infoIcon] = await Promise.all([
    usable(picture?.kind === 'image' ? picture.url : null),
    usable(content.icon),
    usable(contentInfo?.icon ?? null),
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
