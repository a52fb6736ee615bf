import type { StageCreative } from '../../shared/stage';
import type { Blocks } from '../decisions/blocks';
import type { HouseFile, HouseFolder } from '../media/house-folder';
import type { DrawnFile } from '../media/quarantine';
import { FileAd, type FileAdParts } from './file-ad';
import { type SlotAd, type SlotAds, type SlotFacts, UNCOUNTED } from './slot-ad';

interface HouseAdsParts extends FileAdParts {
  readonly house: Pick<HouseFolder, 'next'>;
  /** The operator's blocks in force. */
  readonly blocks: () => Blocks;
}

/** The store's own creatives, for when no ad may play (rule 12), in the order of their names. */
export function createHouseAds(parts: HouseAdsParts): SlotAds {
  /** The file whose turn it is, until it plays or fails. */
  let turn: HouseFile | null = null;
  const over = ({ url }: HouseFile) => {
    if (turn?.url === url) turn = null;
  };
  return {
    choose() {
      if (turn !== null && (isBlocked(parts, turn) || parts.media.lookup(turn.url) === null)) turn = null;
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

class HouseAd extends FileAd<HouseAdsParts> implements SlotAd {
  constructor(
    parts: HouseAdsParts,
    private readonly file: HouseFile,
    private readonly turnOver: (file: HouseFile) => void,
  ) {
    const facts: SlotFacts = {
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
    super(parts, facts, [file.url]);
  }

  mayPlay(): boolean {
    return !this.isBlocked() && this.isFileThere;
  }

  isBlocked(): boolean {
    return isBlocked(this.parts, this.file);
  }

  isSame(other: SlotAd): boolean {
    return other instanceof HouseAd && other.file.url === this.file.url;
  }

  async creative(): Promise<StageCreative | null> {
    const cached = await this.parts.media.verified(this.file.url);
    if (cached) return this.show(cached.key, this.file, this.parts.imageMs);
    this.turnOver(this.file);
    return null;
  }

  enter() {
    this.turnOver(this.file);
    return UNCOUNTED;
  }

  happened(): void {}

  failed(code: string, detail: string, _playId: string | null, [file]: readonly DrawnFile[]): void {
    this.turnOver(this.file);
    this.parts.media.strike(this.file.url, file?.sha256, `${code}: ${detail}`);
  }
}
