import type { Ad, TargetingCondition } from '../../shared/ad';
import type { Block } from '../fleet/link/block';
import { type Context, conditionMatches, EMPTY_CONTEXT, momentOf } from './audience';
import { type Media, validUntil } from './explain';
import { NO_MEDIA, type PlaylistColumns } from './playlist-columns';

/**
 * What besides caps keeps ads from playing (rules 3, 5, 6 and 30): the columns `validUntil`,
 * `mediaIsReady`, `conditionHolds`, `audienceMatches` and `isBlocked`.
 */
export class Eligibility {
  #staleAt: number | null = null;
  #context = EMPTY_CONTEXT;
  readonly #readyUrls = new Set<string>();
  /** Whether the audiences are judged by the present playlist and context. */
  #areAudiencesJudged = false;

  /** @param blockOf the block that fits an ad now; null: none */
  constructor(
    private columns: PlaylistColumns,
    readonly blockOf: (ad: Ad) => Block | null,
  ) {}

  /** When ads without `expires_at` stop, ms since the epoch; null: never. */
  get staleAt(): number | null {
    return this.#staleAt;
  }

  get context(): Context {
    return this.#context;
  }

  setPlaylist(columns: PlaylistColumns, staleAt: number | null): void {
    this.columns = columns;
    this.setStaleAt(staleAt);
    this.#markReadyMedia();
    this.judgeBlocks();
    this.#areAudiencesJudged = false;
  }

  setStaleAt(staleAt: number | null): void {
    this.#staleAt = staleAt;
    const { columns } = this;
    for (let row = 0; row < columns.ads.length; row += 1)
      columns.validUntil[row] = validUntil(columns.ads[row] as Ad, staleAt);
  }

  /** Call when the blocks changed, or the files on disk that they name. */
  judgeBlocks(): void {
    const { ads, isBlocked } = this.columns;
    for (let row = 0; row < ads.length; row += 1)
      isBlocked[row] = this.blockOf(ads[row] as Ad) === null ? 0 : 1;
  }

  setContext(next: Context): void {
    this.#context = next;
    this.#areAudiencesJudged = false;
  }

  mediaReady(url: string): void {
    this.#readyUrls.add(url);
    const index = this.columns.mediaIndex.get(url) ?? NO_MEDIA;
    if (index !== NO_MEDIA) this.columns.mediaIsReady[index] = 1;
  }

  mediaGone(url: string): void {
    this.#readyUrls.delete(url);
    this.columns.mediaIsReady[this.columns.mediaIndex.get(url) ?? NO_MEDIA] = 0;
  }

  mediaOf(url: string): Media {
    if (url === '') return { state: 'unsupported' };
    return this.#readyUrls.has(url) ? { state: 'ready' } : { state: 'not-ready', url };
  }

  /** Judges the audiences again if the signals changed. Call it before the columns are read. */
  refreshAudiences(): void {
    if (this.#areAudiencesJudged) return;
    const { conditions, conditionHolds, audiences, audienceMatches } = this.columns;
    const moment = momentOf(this.#context);
    // Plain loops: there may be tens of thousands of them, and all are judged in one turn of main.
    for (let index = 0; index < conditions.length; index += 1) {
      conditionHolds[index] = conditionMatches(conditions[index] as TargetingCondition, moment) ? 1 : 0;
    }
    for (let index = 0; index < audiences.length; index += 1) {
      audienceMatches[index] = anyGroupHolds(audiences[index] ?? null, conditionHolds) ? 1 : 0;
    }
    this.#areAudiencesJudged = true;
  }

  #markReadyMedia(): void {
    const { mediaUrls, mediaIsReady } = this.columns;
    for (let index = 0; index < mediaUrls.length; index += 1)
      mediaIsReady[index] = this.#readyUrls.has(mediaUrls[index] as string) ? 1 : 0;
  }
}

/** Rule 6, over conditions that are already judged; null matches everyone. */
function anyGroupHolds(groups: readonly (readonly number[])[] | null, holds: Uint8Array): boolean {
  if (groups === null) return true;
  for (const group of groups) {
    let holdsAll = true;
    for (const condition of group) if (holds[condition] === 0) holdsAll = false;
    if (holdsAll) return true;
  }
  return false;
}
