import type { SaxesTagPlain } from 'saxes';
import type { AdIds, MediaFile, TrackingUrl } from '../../../shared/ad';
import type { VastAd, VastLimits, WrapperAd } from './vast-document';
import { positiveInteger, positiveNumber } from './vast-values';

export type Attributes = SaxesTagPlain['attributes'];

interface CreativeDraft {
  readonly sequence: number | null;
  readonly id: string | null;
  /** All its ids, by which an extension may name it. */
  readonly names: readonly (string | null)[];
  universalAdId: AdIds['universalAdId'];
}

interface LinearDraft {
  readonly creative: CreativeDraft;
  durationMs: number | null;
  clickThrough: string | null;
  readonly tracking: TrackingUrl[];
  readonly clickTracking: string[];
  readonly mediaFiles: MediaFile[];
}

/** An `<Ad>` that is being read, within the limits of an ad. */
export class AdDraft {
  forms = 0;
  wrapper: Pick<WrapperAd, 'followAdditionalWrappers' | 'allowMultipleAds' | 'fallbackOnNoAd'> | null = null;
  adTagUrl = '';
  title: string | null = null;
  adServingId: string | null = null;
  readonly impressions: string[] = [];
  readonly errors: string[] = [];
  readonly extensions: string[] = [];
  readonly viewable: string[] = [];
  readonly notVerified: string[] = [];
  creative: CreativeDraft = { sequence: null, id: null, names: [], universalAdId: null };
  linear: LinearDraft = emptyLinear(this.creative);
  private readonly id: string | null;
  private readonly sequence: number | null;
  private readonly linears: LinearDraft[] = [];
  /** Registered ids that stand beside the creatives, each with the id of its creative; null: of any. */
  private readonly idsOfCreatives: {
    readonly creative: string | null;
    readonly id: AdIds['universalAdId'];
  }[] = [];
  private urls = 0;
  private urlsLength = 0;
  /** Why the ad is malformed; null: no error found so far. */
  private error: string | null = null;

  constructor(
    private readonly number: number,
    { id, sequence }: Attributes,
    readonly limits: VastLimits,
  ) {
    this.id = this.nameOf(id);
    this.sequence = positiveInteger(sequence);
    const { length } = id?.trim() ?? '';
    if (length > limits.name) this.error = `an id of ${length} characters, at most ${limits.name} are read`;
  }

  /** `adId` is the ad server's id of the creative. `id` identifies the server, or the creative in older documents. */
  openCreative({ adId, id, sequence }: Attributes): void {
    const names = [this.nameOf(adId), this.nameOf(id)];
    const creativeId = names.find((name) => name !== null) ?? null;
    this.creative = { sequence: positiveInteger(sequence), id: creativeId, names, universalAdId: null };
  }

  openLinear(): void {
    this.linear = emptyLinear(this.creative);
  }

  closeLinear(): void {
    const { linears, limits } = this;
    if (linears.length < limits.linears) linears.push(this.linear);
    else this.error ??= `more than ${limits.linears} linear creatives`;
  }

  /** VAST 4.0 has the value in `idValue`, later versions in the text. */
  takeUniversalAdId(text: string, attributes: Attributes): void {
    this.creative.universalAdId ??= this.universalAdIdIn(text, attributes);
  }

  /** The same of an extension of the whole ad, before or after its creatives. */
  takeIdOfCreative(text: string, attributes: Attributes): void {
    const id = this.universalAdIdIn(text, attributes);
    if (id !== null && this.idsOfCreatives.length < this.limits.linears)
      this.idsOfCreatives.push({ creative: this.nameOf(attributes.creativeId), id });
  }

  private universalAdIdIn(text: string, { idRegistry, idValue }: Attributes): AdIds['universalAdId'] {
    const value = this.nameOf(text) ?? this.nameOf(idValue);
    if (value === null || value.toLowerCase() === 'unknown') return null;
    return { registry: this.nameOf(idRegistry) ?? 'unknown', value };
  }

  takeTracking(url: string, attributes: Attributes): void {
    const event = this.name(attributes.event);
    if (event === null || !this.admits(url)) return;
    const offset = event === 'progress' ? this.name(attributes.offset) : null;
    this.linear.tracking.push({ event, url, offset });
  }

  takeMediaFile(url: string, attributes: Attributes): void {
    const { limits, linear } = this;
    // With an API framework (VPAID, SIMID, MRAID) the file is a program that draws the ad, not media.
    // An overlong URL (media inlined as `data:`) cannot be downloaded.
    if (/vpaid|simid|mraid/i.test(attributes.apiFramework ?? '') || url.length > limits.mediaUrl) return;
    if (linear.mediaFiles.length >= limits.mediaFiles) {
      this.error ??= `more than ${limits.mediaFiles} media files`;
      return;
    }
    if (!this.admitsLength(url)) return;
    linear.mediaFiles.push({
      url,
      type: this.name(attributes.type) ?? '',
      delivery: this.name(attributes.delivery),
      width: positiveNumber(attributes.width),
      height: positiveNumber(attributes.height),
      bitrateKbps:
        positiveNumber(attributes.bitrate) ??
        positiveNumber(attributes.maxBitrate) ??
        positiveNumber(attributes.minBitrate),
      codec: this.name(attributes.codec),
    });
  }

  /**
   * Whether the ad may have one more URL. If not, the ad is malformed, because it could not be reported
   * completely.
   */
  admits(url: string): boolean {
    const { limits } = this;
    if (url.length > limits.url) {
      this.error ??= `a URL of ${url.length} characters, at most ${limits.url} are read`;
      return false;
    }
    this.urls++;
    if (this.urls > limits.urls) {
      this.error ??= `more than ${limits.urls} URLs`;
      return false;
    }
    return this.admitsLength(url);
  }

  private admitsLength(url: string): boolean {
    this.urlsLength += url.length;
    if (this.urlsLength <= this.limits.urlsLength) return true;
    this.error ??= `URLs of more than ${this.limits.urlsLength} characters in all`;
    return false;
  }

  /** The trimmed name; null: there is none. With one that is too long the ad is malformed. */
  private name(value: string | undefined): string | null {
    const length = value?.trim().length ?? 0;
    if (length > this.limits.name) {
      this.error ??= `an attribute of ${length} characters, at most ${this.limits.name} are read`;
    }
    return this.nameOf(value);
  }

  /** The trimmed name; null: empty or too long. It is not truncated, because that could be another name. */
  nameOf(text: string | undefined): string | null {
    const name = text?.trim() ?? '';
    return name === '' || name.length > this.limits.name ? null : name;
  }

  finished(): VastAd {
    const { id, number, sequence, errors, linears } = this;
    const error = this.error ?? formError(this.forms);
    if (error !== null) return { kind: 'malformed', id, number, sequence, errors, detail: error };
    const { extensions, title, impressions, wrapper, viewable, notVerified } = this;
    const common = {
      id,
      number,
      sequence,
      errors,
      extensions,
      title,
      impressions,
      ...(viewable.length > 0 ? { viewable } : {}),
      ...(notVerified.length > 0 ? { notVerified: [...new Set(notVerified)] } : {}),
    };
    if (wrapper === null) {
      const { creative, ...content } = linearOf(linears);
      const { id: creativeId } = creative;
      const ofCreative = this.idsOfCreatives.find(
        ({ creative: named }) => named === null || creative.names.includes(named),
      );
      const universalAdId = creative.universalAdId ?? ofCreative?.id ?? null;
      const ids = { universalAdId, adServingId: this.adServingId, creativeId };
      const hasIds = Object.values(ids).some((value) => value !== null);
      return { kind: 'inline', ...common, ...content, ...(hasIds ? { ids } : {}) };
    }
    return {
      kind: 'wrapper',
      ...common,
      // Any creative behind the wrapper may play, so the tracking of all linear creatives of the wrapper applies.
      tracking: linears.flatMap(({ tracking }) => tracking),
      clickThrough: linears.find(({ clickThrough }) => clickThrough !== null)?.clickThrough ?? null,
      clickTracking: linears.flatMap(({ clickTracking }) => clickTracking),
      adTagUrl: this.adTagUrl,
      ...wrapper,
    };
  }
}

function formError(forms: number): string | null {
  if (forms === 1) return null;
  return forms === 0 ? 'neither <InLine> nor <Wrapper>' : 'more than one <InLine> or <Wrapper>';
}

/**
 * The first linear creative with a media file, by `sequence` and then document order; if none has one, the
 * first.
 */
function linearOf(linears: readonly LinearDraft[]): LinearDraft {
  const last = Number.MAX_SAFE_INTEGER;
  const sorted = linears.toSorted((a, b) => (a.creative.sequence ?? last) - (b.creative.sequence ?? last));
  const shown = sorted.find(({ mediaFiles }) => mediaFiles.length > 0) ?? sorted[0];
  return shown ?? emptyLinear({ sequence: null, id: null, names: [], universalAdId: null });
}

function emptyLinear(creative: CreativeDraft): LinearDraft {
  return { creative, durationMs: null, clickThrough: null, tracking: [], clickTracking: [], mediaFiles: [] };
}
