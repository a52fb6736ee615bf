import type { NativeCardContent, NativeCardPart } from '../../shared/native';
import type { CardRoot } from './card-root';
import type { KeptPictures } from './kept-pictures';
import { decodedCard } from './native-card/decoded-card';

/** Where a layer shows native cards: one React root that is reused, and made for the first of them. */
export class CardHost {
  readonly element = document.createElement('div');
  #root: CardRoot | null = null;

  constructor(private readonly pictures: KeptPictures) {
    this.element.className = 'card-host';
    this.element.hidden = true;
  }

  /** Draws a card with its pictures decoded; resolves to the frame left free for a video or a banner, if it has one. */
  async show(
    content: NativeCardContent,
    language: string,
    onTap: (part: NativeCardPart) => void,
    isCurrent: () => boolean,
  ): Promise<HTMLElement | null> {
    const [decoded, { openCardRoot }] = await Promise.all([decodedCard(content), import('./card-root')]);
    if (!isCurrent()) return null;
    for (const url of picturesOf(decoded)) this.pictures.keep(url);
    this.#root ??= openCardRoot(this.element);
    this.element.hidden = false;
    return this.#root.draw({ content: decoded, language, onTap });
  }

  clear(): void {
    this.element.hidden = true;
    this.#root?.clear();
  }
}

function picturesOf({ picture, icon, contentInfo }: NativeCardContent): readonly string[] {
  const all = [picture?.kind === 'image' ? picture.url : null, icon, contentInfo?.icon ?? null];
  return all.filter((url) => url !== null);
}
