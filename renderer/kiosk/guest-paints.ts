import type { GuestCommand } from '../../shared/stage';
import type { Size } from './view';

type Word = Extract<GuestCommand, { type: 'painted' | 'broken' }>;

/** What main has seen of a page in a guest. */
export interface GuestPaint {
  /** Resolves, with the size of its content where that is known, when it has drawn something; rejects, with the reason, when it will not. */
  readonly painted: Promise<Size | null>;
  isBroken(): boolean;
  /** It is gone: nothing more is heard of it. */
  forget(): void;
}

/** Waits for main's word about pages that layers of the stage hold; by their addresses, each used once. */
export class GuestPaints {
  readonly #heard = new Map<string, (word: Word) => void>();

  hear(word: Word): void {
    this.#heard.get(word.url)?.(word);
  }

  /** @param onBroken it broke, even after it was painted */
  of(url: string, onBroken: () => void): GuestPaint {
    let broken = false;
    const painted = new Promise<Size | null>((resolve, reject) => {
      this.#heard.set(url, (word) => {
        if (word.type === 'painted') resolve(word.size);
        else {
          broken = true;
          reject(new Error(word.detail));
          onBroken();
        }
      });
    });
    // One that breaks after it was painted has nobody who waits.
    painted.catch(() => {});
    return { painted, isBroken: () => broken, forget: () => void this.#heard.delete(url) };
  }
}
