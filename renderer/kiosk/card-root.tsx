import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { NativeCardContent, NativeCardPart } from '../../shared/native';
import { NativeCard } from './native-card/native-card';

/** A card as it is to be drawn. */
export interface DrawnCard {
  readonly content: NativeCardContent;
  readonly language: string;
  readonly onTap: (part: NativeCardPart) => void;
}

/** A React root that native cards are drawn with, one after another. */
export interface CardRoot {
  /** Draws it at once; answers the frame left free for a video or a banner, if it has one. */
  draw(card: DrawnCard): HTMLElement | null;
  clear(): void;
}

export function openCardRoot(element: HTMLElement): CardRoot {
  const root = createRoot(element);
  let slot: HTMLElement | null = null;
  return {
    draw({ content, language, onTap }) {
      flushSync(() =>
        root.render(
          <NativeCard
            content={content}
            language={language}
            onTap={onTap}
            slotRef={(drawn) => {
              slot = drawn;
            }}
          />,
        ),
      );
      return slot;
    },
    clear: () => root.render(null),
  };
}
