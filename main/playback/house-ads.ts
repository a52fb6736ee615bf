import type { StageCreative } from '../../shared/stage';
import type { Blocks } from '../decisions/blocks';
import type { HouseFile, HouseFolder } from '../media/house-folder';
import type { MediaCache } from '../media/media-cache';
import { PAGE_TYPE } from '../media/media-type';
import type { DrawnFile } from '../media/quarantine';
import { createGuestErrors } from './guest-errors';
import { type OpenPage, type SlotAd, type SlotAds, type SlotFacts, UNCHANGED } from './slot-ad';

export interface HouseAdsParts {
  readonly house: Pick<HouseFolder, 'next'>;
  readonly media: Pick<MediaCache, 'verified' | 'strike' | 'pathOf'>;
  readonly openPage: OpenPage;
  /** How long an image or a page is shown, ms. */
  readonly imageMs: number;
  /** 0 (silent) to 1. */
  readonly volume: () => number;
  /** The operator's blocks in force. */
  readonly blocks: () => Blocks;
}

/** The store's own creatives, for when no ad may play (rule 12), in the order of their names. */
export function createHouseAds(parts: HouseAdsParts): SlotAds {
  /** The file whose turn it is, until it plays or fails. */
  let turn: HouseFile | null = null;
  const over = () => {
    turn = null;
  };
  return {
    choose() {
      if (turn !== null && isBlocked(parts, turn)) turn = null;
      turn ??= nextAllowed(parts);
      return turn && new HouseAd(parts, turn, over);
    },
  };
}

/** The next file in the round that is not blocked; null when there is none. */
function nextAllowed(parts: HouseAdsParts): HouseFile | null {
  const passedOver = new Set<string>();
  for (;;) {
    const file = parts.house.next();
    if (file === null || passedOver.has(file.url)) return null;
    if (!isBlocked(parts, file)) return file;
    passedOver.add(file.url);
  }
}

const addressOf = ({ key }: HouseFile) => `media://house/${key}`;

/** A house file is blocked by its SHA-256, by its address in plays and exports, or by its name. */
function isBlocked({ blocks }: HouseAdsParts, file: HouseFile): boolean {
  const { name, sha256 } = file;
  return blocks().fitting({ adId: name, urls: [addressOf(file)], sha256: [sha256] }) !== null;
}

class HouseAd implements SlotAd {
  readonly facts: SlotFacts;
  readonly files: readonly string[];
  drawn: readonly DrawnFile[] = [];
  guestErrors: readonly string[] = [];

  constructor(
    private readonly parts: HouseAdsParts,
    private readonly file: HouseFile,
    private readonly turnOver: () => void,
  ) {
    this.facts = {
      adId: file.name,
      requestId: '',
      flightId: null,
      campaignId: null,
      source: 'house',
      sourceId: null,
      mediaUrl: addressOf(file),
      delivery: 'house',
      durationMs: null,
      frequencyCaps: [],
    };
    this.files = [file.url];
  }

  mayPlay(): boolean {
    return !this.isBlocked();
  }

  isBlocked(): boolean {
    return isBlocked(this.parts, this.file);
  }

  isSame(other: SlotAd): boolean {
    return other instanceof HouseAd && other.file.url === this.file.url;
  }

  async creative(): Promise<StageCreative | null> {
    const { imageMs, volume, media } = this.parts;
    const { sha256, name, url, type } = this.file;
    const cached = await media.verified(url);
    if (!cached) {
      this.turnOver();
      return null;
    }
    this.drawn = [{ sha256, name, guest: null, type }];
    if (type === PAGE_TYPE) {
      const errors = createGuestErrors();
      this.guestErrors = errors.all;
      const page = await this.parts.openPage(media.pathOf(cached), errors.add);
      this.drawn = [{ sha256, name, guest: page?.url ?? null, type }];
      return page && { kind: 'page', ...page, durationMs: imageMs, marks: [] };
    }
    const kind = type.startsWith('video/') ? 'video' : 'image';
    return {
      kind,
      url: `media://cache/${cached.key}`,
      durationMs: kind === 'image' ? imageMs : null,
      volume: volume(),
      marks: [],
    };
  }

  enter() {
    this.turnOver();
    return { books: UNCHANGED, rollBack() {}, giveBack: () => UNCHANGED };
  }

  happened(): void {}

  tapped(): void {}

  over(): void {}

  failed(code: string, detail: string): void {
    this.turnOver();
    this.parts.media.strike(this.file.url, `${code}: ${detail}`);
  }
}
