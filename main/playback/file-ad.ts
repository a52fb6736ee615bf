import type { Mark, StageCreative } from '../../shared/stage';
import type { MediaCache } from '../media/media-cache';
import { PAGE_TYPE } from '../media/media-type';
import type { DrawnFile } from '../media/quarantine';
import { createGuestErrors, type OpenPage, type SlotFacts } from './slot-ad';

export interface FileAdParts {
  readonly media: Pick<MediaCache, 'lookup' | 'verified' | 'strike' | 'passOverPages' | 'pathOf'>;
  readonly openPage: OpenPage;
  /** How long an image or a page without a duration of its own is shown, ms. */
  readonly imageMs: number;
  /** 0 (silent) to 1; when it changes, the stage is told for what is prepared or plays. */
  readonly volume: () => number;
}

/**
 * Shortest that an image or a page is shown, whatever its ad or the settings say, ms: shorter ones would flash more than
 * three times a second, which can cause seizures (WCAG 2.3.1), and each would count as a play.
 */
const SHORTEST_STILL_MS = 200;

/** The common part of ads that are shown as one file of the cache: a picture, a video, or a page in a guest. */
export abstract class FileAd<Parts extends FileAdParts> {
  drawn: readonly DrawnFile[] = [];
  guestErrors: readonly string[] = [];
  /** The guest that is being opened, or that could not be; null: there is none. */
  #opening: ReturnType<OpenPage> | null = null;

  constructor(
    protected readonly parts: Parts,
    readonly facts: SlotFacts,
    readonly files: readonly string[],
  ) {}

  /** Whether its file may still play: it may have been set aside, quarantined or lost since it was chosen (rule 11). */
  protected get isFileThere(): boolean {
    return this.files.every((url) => this.parts.media.lookup(url) !== null);
  }

  missed(): void {
    if (this.#opening === null) return;
    // This kiosk has no place for the page: its file gets no strike, and no error is reported (decision 98).
    this.drawn = [];
    this.parts.media.passOverPages(this.#opening);
  }

  /** @param stillMs how long it is shown if it is a picture or a page, ms */
  protected async show(
    key: string,
    { sha256, name, type }: Pick<DrawnFile, 'sha256' | 'name'> & { readonly type: string },
    stillMs: number,
    marks: readonly Mark[] = [],
  ): Promise<StageCreative | null> {
    const { media, openPage, volume } = this.parts;
    const durationMs = Math.max(stillMs, SHORTEST_STILL_MS);
    // Before the guest is opened: if the file cannot be read then, it gets a strike.
    this.drawn = [{ sha256, name, guest: null, type }];
    if (type === PAGE_TYPE) {
      const errors = createGuestErrors();
      this.guestErrors = errors.all;
      this.#opening = openPage(media.pathOf({ key }), errors.add);
      const page = await this.#opening;
      this.#opening = null;
      if (page === null) return null;
      this.drawn = [{ sha256, name, guest: page.url, type }];
      return { kind: 'page', ...page, durationMs, marks: [...marks] };
    }
    const kind = type.startsWith('video/') ? 'video' : 'image';
    return {
      kind,
      url: `media://cache/${key}`,
      durationMs: kind === 'image' ? durationMs : null,
      volume: volume(),
      marks: [...marks],
    };
  }
}
