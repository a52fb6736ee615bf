import type { GuestCommand } from '../../shared/stage';
import type { Size } from './view';

type Word = Extract<GuestCommand, { type: 'painted' | 'broken' }>;

/** What main has seen of a page in a guest. */
export type GuestPaint = ReturnType<GuestPaints['watch']>;

/** Passes main's reports about guests to the layers that hold them, by the guests' URLs, each of which is used once. */
export class GuestPaints {
  readonly #heard = new Map<string, (word: Word) => void>();

  handleReport(word: Word): void {
    this.#heard.get(word.url)?.(word);
  }

  /** @param onBroken called when it breaks, even after it has painted */
  watch(url: string, onBroken: () => void) {
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
    // Avoids an unhandled rejection if nobody awaits `painted`.
    painted.catch(() => {});
    return {
      /** Resolves when it has painted, with the size of its content if known; rejects when it broke before that. */
      painted,
      isBroken: () => broken,
      /** To be called when the guest is removed: later reports about it are ignored. */
      forget: () => this.#heard.delete(url),
    };
  }
}
