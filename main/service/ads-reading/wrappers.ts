import type { Ad, TrackingUrl } from '../../../shared/ad';
import type { ReadingError } from '../../reading/reading';
import type { Schedule } from '../schedule';
import { MOST_ADS } from './answer-limits';
import { type AdsReading, type RejectedAd, type ServiceWrapper, serviceAd } from './read-ads';
import type { InlineAd, Unreadable, VastAd, VastDocument, VastOptions, WrapperAd } from './vast-document';
import { VAST_ERROR } from './vast-error-codes';

/** An ads response with nothing left to resolve. */
export interface ResolvedAds {
  readonly kind: 'ads';
  readonly ads: readonly Ad[];
  /** In document order, wrappers that led nowhere included. */
  readonly rejected: readonly RejectedAd[];
  /** What failed behind wrappers beside what was found or rejected, to be told as well; bounded. */
  readonly deadEnds: readonly DeadEnd[];
  /** `<Error>` at the root, for an answer without an ad. */
  readonly errorUrls: readonly string[];
}

/** Error URLs, verbatim, and the VAST error code that they are told. */
export type DeadEnd = Pick<RejectedAd, 'errorUrls' | 'errorCode'>;

export type FetchedDocument =
  | { readonly kind: 'document'; readonly text: string }
  /** `message` is one line without secrets. */
  | { readonly kind: 'error'; readonly message: string };

export interface WrapperOptions {
  /**
   * Gets a document over the fence (rule 22). The URL is verbatim, macros
   * included, and always http(s). What it rejects with counts as an error.
   */
  readonly fetchDocument: (url: string, signal: AbortSignal) => Promise<FetchedDocument>;
  /** Reads a document that came (rule 31). */
  readonly readDocument: (
    text: string,
    options: VastOptions,
  ) => Promise<VastDocument | Unreadable | ReadingError>;
  readonly schedule: Schedule;
  /** For each document, ms. Default 10,000. */
  readonly deadlineMs?: number;
  /** Wrappers in a chain, the service's own included. Default 5. */
  readonly maxDepth?: number;
  /** Documents of one service ad, all its branches together. Default 20. */
  readonly maxDocuments?: number;
  /** Chains followed at once. Default 4. */
  readonly concurrency?: number;
  /** Ends all of it: what is unresolved by then is rejected. */
  readonly signal?: AbortSignal;
}

/** UTF-16 code units of a wrapped document, and its ads: one creative and its alternatives, not a playlist. */
const WRAPPED_LIMITS = { document: 4 * 1024 * 1024, ads: 200 };

/** Dead ends that are kept of one ad of the service, and error URLs of each: an answer tells a hundred at most. */
const MOST_DEAD_ENDS = 20;
const MOST_DEAD_END_URLS = 100;

/** Every wrapper becomes a rejection: for where there is no network to follow it with. */
export function rejectWrappers(reading: AdsReading, why: string): ResolvedAds {
  const ads: Ad[] = [];
  const rejected = [...reading.rejected];
  for (const read of reading.ads) {
    if (read.kind === 'ad') ads.push(read.ad);
    else {
      const { wrapper } = read;
      rejected.push(unresolved(wrapper, nowhere(why, VAST_ERROR.wrapper, wrapper.wrapper.errors)));
    }
  }
  const { errorUrls } = reading;
  return { kind: 'ads', ads, rejected: inDocumentOrder(rejected), deadEnds: [], errorUrls };
}

/**
 * Follows the wrappers of an ads response to the media (rule 1): at most
 * `maxDepth` deep, no address twice in a chain, each document with a deadline.
 * Impressions, errors, tracking and click tracking of every wrapper on the way
 * are inherited, the service's own last; the metadata are the service's alone.
 * Never rejects: a chain that leads nowhere is a `wrapper-unresolved`, with the
 * error URLs of all its wrappers and the VAST error code of its reason. With more than
 * `MOST_ADS` ads the rest is not followed, and whoever asked refuses them all.
 */
export async function resolveWrappers(reading: AdsReading, options: WrapperOptions): Promise<ResolvedAds> {
  const places: (readonly Ad[])[] = [];
  const rejected = [...reading.rejected];
  const deadEnds: (readonly DeadEnd[])[] = [];
  const waiting: { wrapper: ServiceWrapper; place: number }[] = [];
  for (const [place, read] of reading.ads.entries()) {
    if (read.kind === 'ad') places[place] = [read.ad];
    else waiting.push({ wrapper: read.wrapper, place });
  }
  let found = reading.ads.length - waiting.length;
  let following = 0;
  const follow = async (): Promise<void> => {
    // Beyond `MOST_ADS` the answer is not taken: the rest need not be asked for.
    while (following < waiting.length && found <= MOST_ADS) {
      const next = waiting[following++] as (typeof waiting)[number];
      const outcome = await resolveOne(next.wrapper, options);
      deadEnds[next.place] = outcome.deadEnds;
      if (outcome.kind === 'resolved') {
        places[next.place] = outcome.ads;
        found += outcome.ads.length;
      } else rejected.push(outcome.rejected);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency ?? 4, waiting.length) }, follow));
  return {
    kind: 'ads',
    ads: places.flat(),
    rejected: inDocumentOrder(rejected),
    deadEnds: deadEnds.flat(),
    errorUrls: reading.errorUrls,
  };
}

function inDocumentOrder(rejected: RejectedAd[]): RejectedAd[] {
  return rejected.sort((a, b) => a.number - b.number);
}

function unresolved({ wrapper }: ServiceWrapper, { detail, errorUrls, errorCode }: Nowhere): RejectedAd {
  const { id, number } = wrapper;
  return { id, number, code: 'wrapper-unresolved', detail, errorUrls, errorCode };
}

async function resolveOne(
  service: ServiceWrapper,
  options: WrapperOptions,
): Promise<
  ({ kind: 'resolved'; ads: Ad[] } | { kind: 'rejected'; rejected: RejectedAd }) & {
    deadEnds: readonly DeadEnd[];
  }
> {
  const chain = new Chain(options);
  const end = await chain.follow(service.wrapper, []);
  const { deadEnds } = chain;
  if (end.kind === 'nowhere') {
    return { kind: 'rejected', rejected: unresolved(service, end), deadEnds };
  }
  return {
    kind: 'resolved',
    deadEnds,
    ads: end.found.map(({ inline, wrappers }) =>
      serviceAd(service.id, service.sequence, service.metadata, inherit(inline, wrappers)),
    ),
  };
}

interface Found {
  readonly inline: InlineAd;
  /** From the innermost to the service's own. */
  readonly wrappers: readonly WrapperAd[];
}

interface Nowhere {
  readonly kind: 'nowhere';
  readonly detail: string;
  readonly errorCode: number;
  readonly errorUrls: readonly string[];
}

type ChainEnd = { readonly kind: 'found'; readonly found: readonly Found[] } | Nowhere;

function nowhere(detail: string, errorCode: number, errorUrls: readonly string[]): Nowhere {
  return { kind: 'nowhere', detail, errorCode, errorUrls };
}

/** The chain (or tree, where several ads are allowed) of documents behind one of the service's wrappers. */
class Chain {
  private documents = 0;
  /** What failed beside what `follow` answers. */
  readonly deadEnds: DeadEnd[] = [];

  constructor(private readonly options: WrapperOptions) {}

  /** `outer` are the wrappers around this one, innermost first. */
  async follow(wrapper: WrapperAd, outer: readonly WrapperAd[]): Promise<ChainEnd> {
    const wrappers = [wrapper, ...outer];
    const errorUrls = wrappers.flatMap(({ errors }) => errors);
    const refusal = this.refusal(wrapper, outer);
    if (refusal !== null) return nowhere(refusal.detail, refusal.errorCode, errorUrls);
    const fetched = await this.fetch(wrapper.adTagUrl);
    if (fetched.kind === 'error') {
      const isCalledOff = this.options.signal?.aborted === true;
      const code = isCalledOff ? VAST_ERROR.wrapper : VAST_ERROR.wrapperTimeout;
      return nowhere(fetched.message, code, errorUrls);
    }
    const document = await this.options.readDocument(fetched.text, {
      extensionType: null,
      limits: WRAPPED_LIMITS,
    });
    if (document.kind === 'unreadable')
      return nowhere(`the wrapped document: ${document.message}`, VAST_ERROR.wrapper, errorUrls);
    const candidates = admitted(document.ads, wrapper);
    const damaged = document.ads.filter(({ kind }) => kind === 'malformed');
    if (candidates.length > 0) {
      for (const { errors } of damaged) this.note({ errorUrls: errors, errorCode: VAST_ERROR.unreadable });
      return this.into(candidates, wrappers);
    }
    const why = document.ads.length === 0 ? 'holds no ad' : 'holds no ad that the wrapper admits';
    return nowhere(`the wrapped document ${why}`, VAST_ERROR.noAd, [
      ...errorUrls,
      ...damaged.flatMap(({ errors }) => errors),
      ...document.errorUrls,
    ]);
  }

  private note({ errorUrls, errorCode }: DeadEnd): void {
    if (errorUrls.length === 0 || this.deadEnds.length === MOST_DEAD_ENDS) return;
    this.deadEnds.push({ errorUrls: errorUrls.slice(0, MOST_DEAD_END_URLS), errorCode });
  }

  /** Down every one of the ads. If all lead nowhere, the first says why; what else leads nowhere is noted. */
  async into(ads: readonly (InlineAd | WrapperAd)[], wrappers: readonly WrapperAd[]): Promise<ChainEnd> {
    const found: Found[] = [];
    let dead: Nowhere | null = null;
    for (const ad of ads) {
      if (ad.kind === 'inline') {
        found.push({ inline: ad, wrappers });
        continue;
      }
      const end = await this.follow(ad, wrappers);
      if (end.kind === 'found') found.push(...end.found);
      else if (dead === null && found.length === 0) dead = end;
      else this.note(end);
    }
    if (dead === null) return { kind: 'found', found };
    if (found.length === 0) return dead;
    this.note(dead);
    return { kind: 'found', found };
  }

  private refusal({ adTagUrl }: WrapperAd, outer: readonly WrapperAd[]): Omit<Nowhere, 'errorUrls'> | null {
    const { maxDepth = 5, maxDocuments = 20, signal } = this.options;
    const useless = (detail: string) => nowhere(detail, VAST_ERROR.wrapper, []);
    const tooMany = (detail: string) => nowhere(detail, VAST_ERROR.wrapperLimit, []);
    if (adTagUrl === '') return useless('the wrapper names no document');
    if (!/^https?:\/\//i.test(adTagUrl) || !URL.canParse(adTagUrl)) {
      return useless('the wrapper names an address that is not http(s)');
    }
    if (outer.length >= maxDepth) return tooMany(`more than ${maxDepth} wrappers in a chain`);
    if (outer.some((wrapper) => wrapper.adTagUrl === adTagUrl)) return tooMany('the wrappers form a loop');
    if (this.documents >= maxDocuments) return tooMany(`more than ${maxDocuments} documents behind one ad`);
    return signal?.aborted ? useless('called off') : null;
  }

  private async fetch(url: string): Promise<FetchedDocument> {
    const { deadlineMs = 10_000, signal, schedule, fetchDocument } = this.options;
    this.documents++;
    const controller = new AbortController();
    let why = 'called off';
    const cancel = schedule(deadlineMs, () => {
      why = `the wrapped document did not come within ${deadlineMs} ms`;
      controller.abort();
    });
    const callOff = (): void => controller.abort();
    signal?.addEventListener('abort', callOff, { once: true });
    try {
      // Raced, so that a fetch that does not heed its signal cannot hold up the playlist.
      return await Promise.race([
        fetchDocument(url, controller.signal),
        new Promise<FetchedDocument>((resolve) => {
          controller.signal.addEventListener('abort', () => resolve({ kind: 'error', message: why }), {
            once: true,
          });
        }),
      ]);
    } catch {
      return {
        kind: 'error',
        message: controller.signal.aborted ? why : 'the wrapped document did not come',
      };
    } finally {
      cancel();
      signal?.removeEventListener('abort', callOff);
    }
  }
}

/**
 * What a wrapper takes from the document it names. Unless it allows several ads
 * it takes the first stand-alone one; where there is only a pod, the pod's first.
 */
function admitted(ads: readonly VastAd[], wrapper: WrapperAd): (InlineAd | WrapperAd)[] {
  const sound = ads.filter((ad) => ad.kind !== 'malformed');
  const followed = wrapper.followAdditionalWrappers ? sound : sound.filter((ad) => ad.kind === 'inline');
  if (wrapper.allowMultipleAds) return followed;
  const first = firstAlone(followed);
  return first === undefined ? [] : [first];
}

function firstAlone<T extends { readonly sequence: number | null }>(ads: readonly T[]): T | undefined {
  return ads.find((ad) => ad.sequence === null) ?? ads[0];
}

function inherit(inline: InlineAd, wrappers: readonly WrapperAd[]): InlineAd {
  const all = [inline, ...wrappers];
  return {
    ...inline,
    title: all.find(({ title }) => title !== null)?.title ?? null,
    impressions: all.flatMap(({ impressions }) => impressions),
    tracking: all.flatMap(({ tracking }): TrackingUrl[] => tracking),
    errors: all.flatMap(({ errors }) => errors),
    // The advertiser's own page first: a wrapper's is only for creatives without one.
    clickThrough: all.find(({ clickThrough }) => clickThrough !== null)?.clickThrough ?? null,
    clickTracking: all.flatMap(({ clickTracking }) => clickTracking),
  };
}
