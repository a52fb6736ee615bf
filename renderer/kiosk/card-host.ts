import type { NativeCardContent, NativeCardPart } from '../../shared/native';
import type { CardRoot } from './card-root';
import { decodedCard } from './native-card/decoded-card';

/** Where a layer shows native cards: one React root that is reused, and made for the first of them. */
export class CardHost {
  readonly element = document.createElement('div');
  #root: CardRoot | null = null;

  constructor() {
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
    this.#root ??= openCardRoot(this.element);
    this.element.hidden = false;
    return this.#root.draw({ content: decoded, language, onTap });
  }

  clear(): void {
    this.element.hidden = true;
    this.#root?.clear();
  }
}
