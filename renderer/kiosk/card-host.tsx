import { flushSync } from 'react-dom';
import { createRoot, type Root } from 'react-dom/client';
import type { NativeCardContent, NativeCardPart } from '../../shared/native';
import { decodedCard } from './native-card/decoded-card';
import { NativeCard } from './native-card/native-card';

/** Where a layer shows native cards: one React root that is reused. */
export class CardHost {
  readonly element = document.createElement('div');
  #root: Root | null = null;
  #slot: HTMLElement | null = null;

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
    const decoded = await decodedCard(content);
    if (!isCurrent()) return null;
    this.#root ??= createRoot(this.element);
    this.element.hidden = false;
    const root = this.#root;
    flushSync(() =>
      root.render(
        <NativeCard
          content={decoded}
          language={language}
          onTap={onTap}
          slotRef={(slot) => {
            this.#slot = slot;
          }}
        />,
      ),
    );
    return this.#slot;
  }

  clear(): void {
    this.element.hidden = true;
    this.#root?.render(null);
    this.#slot = null;
  }
}
