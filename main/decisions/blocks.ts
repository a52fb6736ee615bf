import type { Ad } from '../../shared/ad';
import type { Block } from '../fleet/link/block';

export type Blocks = ReturnType<typeof blocksOf>;

/** The properties by which something can be blocked; absent or null where it has none. */
interface Blockable {
  readonly adId?: string | null;
  readonly flightId?: string | null;
  readonly campaignId?: string | null;
  readonly sourceId?: string | null;
  readonly urls?: readonly string[];
  /** SHA-256 of its files, in hex; null: not known. */
  readonly sha256?: ReadonlyArray<string | null>;
}

/** A blocked address is blocked with any query, so addresses are compared without it. */
function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

const keyOf = (kind: Block['kind'], id: string) => `${kind} ${kind === 'url' ? withoutQuery(id) : id}`;

/** The blocks in force (rule 30). A look-up takes constant time, however many there are. */
export function blocksOf(all: readonly Block[]) {
  const byKey = new Map(all.map((block) => [keyOf(block.kind, block.id), block]));
  const kinds = new Set(all.map(({ kind }) => kind));
  const find = (
    kind: Block['kind'],
    ids: ReadonlyArray<string | null | undefined> = [],
  ): Block | undefined => {
    if (!kinds.has(kind)) return undefined;
    for (const id of ids) {
      const found = id == null ? undefined : byKey.get(keyOf(kind, id));
      if (found) return found;
    }
    return undefined;
  };
  return {
    isEmpty: byKey.size === 0,
    /** Whether a file is blocked by its SHA-256, which is known only for files on disk. */
    hasFiles: kinds.has('sha256'),
    /** The first block that applies; null when the thing may be shown. */
    fitting: ({ adId, flightId, campaignId, sourceId, urls, sha256 }: Blockable) =>
      find('ad', [adId]) ??
      find('flight', [flightId]) ??
      find('campaign', [campaignId]) ??
      find('source', [sourceId]) ??
      find('url', urls) ??
      find('sha256', sha256) ??
      null,
  };
}

export const NO_BLOCKS = blocksOf([]);

/**
 * The block that keeps an ad of the service from being shown, or null. Checks all files of the ad, also those that this
 * kiosk would not choose, because all of them show the same creative.
 *
 * @param sha256Of the SHA-256 of the file on disk for an address; null when there is none
 */
export function blockOfAd(blocks: Blocks, ad: Ad, sha256Of: (url: string) => string | null): Block | null {
  if (blocks.isEmpty) return null;
  const { flightId, campaignId, sourceId } = ad.metadata;
  const urls = ad.mediaFiles.map(({ url }) => url);
  const sha256 = blocks.hasFiles ? urls.map(sha256Of) : [];
  return blocks.fitting({ adId: ad.id, flightId, campaignId, sourceId, urls, sha256 });
}
