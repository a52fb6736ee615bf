import type { Ad } from '../../../shared/ad';
import { beforeDeadline, isTimeout, startDeadline } from '../../deadline';
import { SendError } from '../../egress/send-error';
import { weightOf } from '../../reading/portions';
import type { ReadingError } from '../../reading/reading';
import type { Schedule } from '../../schedule';
import { inTurns, pause, type Turns } from '../../turns';
import { MAX_ADS } from './answer-limits';
import { type Found, Inheritance, MAX_CHAIN_WEIGHT, MAX_WRAPPED_WEIGHT } from './inherit';
import { type AdsReading, type RejectedAd, type ServiceWrapper, serviceAd } from './read-ads';
import {
  type InlineAd,
  type Unreadable,
  VAST_ERROR,
  VAST_LIMITS,
  type VastAd,
  type VastDocument,
  type VastOptions,
  type WrapperAd,
} from './vast-document';

/** An ads response whose wrappers are resolved or rejected. */
export interface ResolvedAds {
  readonly kind: 'ads';
  readonly ads: readonly Ad[];
  /** In document order, unresolved wrappers included. */
  readonly rejected: readonly RejectedAd[];
  /** Other failures behind wrappers, whose error URLs are fired too. Bounded. */
  readonly deadEnds: readonly DeadEnd[];
  /** `<Error>` URLs at the root, for an answer without an ad. */
  readonly errorUrls: readonly string[];
  /** Whether documents of other servers belong to the answer: they may change while the service's own does not. */
  readonly hasWrappers: boolean;
  /** No wrapped document arrived, and a request for one did not leave the kiosk: its line may be down. */
  readonly isCutOff: boolean;
}

/** Error URLs, verbatim, and the VAST error code to report there. */
export type DeadEnd = Pick<RejectedAd, 'errorUrls' | 'errorCode'>;

export type FetchedDocument =
  | { readonly kind: 'document'; readonly text: string }
  /** `message` is one line without secrets. `isUnsent`: no request left the kiosk, which is no error of the ad. */
  | { readonly kind: 'error'; readonly message: string; readonly isUnsent?: boolean };

export interface WrapperOptions {
  /**
   * Downloads a document under the egress policy (rule 22). The URL is verbatim, macros included, and always
   * http(s). A rejected promise counts as an error.
   */
  readonly fetchDocument: (url: string, signal: AbortSignal) => Promise<FetchedDocument>;
  /** Reads a fetched document (rule 31). */
  readonly readDocument: (
    text: string,
    options: VastOptions,
  ) => Promise<VastDocument | Unreadable | ReadingError>;
  readonly schedule: Schedule;
  /** Time limit for each document, ms. Default 10,000. */
  readonly deadlineMs?: number;
  /** How many chains are followed in parallel. Default 4. */
  readonly concurrency?: number;
  /** Aborts everything: wrappers that are not resolved yet are rejected as too late (301). */
  readonly signal?: AbortSignal;
}

/** Most wrappers in a chain, the service's own included. */
const MAX_WRAPPERS = 5;
/** Most documents for one ad of the service, in all its branches together. */
const MAX_DOCUMENTS = 20;
/** Documents of one origin in a row that time out; after these, no more of it are requested for the same answer. */
const MAX_TIMEOUTS = 2;
/**
 * Bounds of a wrapped document, in UTF-16 code units and ads: it holds one creative and its alternatives, no
 * playlist.
 */
const WRAPPED_LIMITS = { document: 4 * 1024 * 1024, ads: 200 };
/** UTF-16 code units of all documents behind one wrapper of the service: main keeps their contents until the last one. */
const MAX_CHAIN_LENGTH = 8 * 1024 * 1024;

const TOO_LATE = 'the time of the whole answer was over';

/**
 * Most dead ends of one ad of the service, and most error URLs of each. Of an answer, at most a hundred are
 * fired.
 */
export const MAX_DEAD_ENDS = 20;
export const MAX_DEAD_END_URLS = 100;

/**
 * Follows the wrappers of an ads response to the media (rule 1): at most `MAX_WRAPPERS` deep, no URL twice
 * in a chain, each document with a deadline. An ad inherits impressions, errors, tracking and click tracking
 * of all wrappers around it, the service's own last; its metadata come from the service alone.
 * Never rejects. A chain without an ad becomes a `wrapper-unresolved`, with the error URLs of all its
 * wrappers and the VAST error code of the reason; without URLs if the request for a document did not leave the kiosk.
 * Bounds (rule 31): with more than `MAX_ADS` ads the rest is not followed, and the caller rejects the whole
 * answer. Wrappers beyond the bounds of `inherit.ts` are unresolved; the other ads are not affected.
 */
export async function resolveWrappers(reading: AdsReading, options: WrapperOptions): Promise<ResolvedAds> {
  const places: (readonly Ad[])[] = [];
  const rejected = [...reading.rejected];
  const deadEnds: (readonly DeadEnd[])[] = [];
  const waiting: { wrapper: ServiceWrapper; place: number }[] = [];
  for (const [place, read] of reading.ads.entries()) {
    if ('wrapper' in read) waiting.push({ wrapper: read, place });
    else places[place] = [read];
  }
  let found = reading.ads.length - waiting.length;
  let following = 0;
  const answer: Answer = {
    turns: inTurns(pause),
    weight: 0,
    timeouts: new Map(),
    hasArrived: false,
    hasUnsent: false,
  };
  const follow = async (): Promise<void> => {
    // With more than `MAX_ADS` ads the whole answer is rejected, so do not download the rest.
    while (following < waiting.length && found <= MAX_ADS) {
      const { wrapper, place } = waiting[following++] as (typeof waiting)[number];
      if (answer.turns.isOver()) await answer.turns.next();
      const chain = new Chain(options, answer);
      const end = await chain.follow(wrapper.wrapper, []);
      const result = end.kind === 'nowhere' ? end : await inherit(wrapper, end.found, answer, chain);
      deadEnds[place] = chain.deadEnds;
      if (result.kind === 'nowhere') rejected.push(unresolved(wrapper, result));
      else {
        places[place] = result.ads;
        found += result.ads.length;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency ?? 4, waiting.length) }, follow));
  return {
    kind: 'ads',
    ads: places.flat(),
    rejected: rejected.sort((a, b) => a.number - b.number),
    deadEnds: deadEnds.flat(),
    errorUrls: reading.errorUrls,
    hasWrappers: waiting.length > 0,
    isCutOff: answer.hasUnsent && !answer.hasArrived,
  };
}

function unresolved({ wrapper }: ServiceWrapper, { detail, errorUrls, errorCode }: Nowhere): RejectedAd {
  const { id, number } = wrapper;
  return { id, number, code: 'wrapper-unresolved', detail, errorUrls, errorCode };
}

/** State that all wrappers of an answer share. */
interface Answer {
  readonly turns: Turns;
  /** Size of the ads behind wrappers so far, about bytes. */
  weight: number;
  /** How many documents in a row timed out, by origin. */
  readonly timeouts: Map<string, number>;
  /** Whether a wrapped document arrived. */
  hasArrived: boolean;
  /** Whether a request for one did not leave the kiosk. */
  hasUnsent: boolean;
}

/** Joins the ads behind a wrapper of the service with all that they inherit, within the bounds. */
async function inherit(
  service: ServiceWrapper,
  found: readonly Found[],
  answer: Answer,
  chain: Chain,
): Promise<{ kind: 'resolved'; ads: Ad[] } | Nowhere> {
  const { id, sequence, metadata } = service;
  const inheritance = new Inheritance();
  const metadataWeight = weightOf(metadata);
  const ads: Ad[] = [];
  let weight = 0;
  const unreportable: Found[] = [];
  for (const each of found) {
    if (answer.turns.isOver()) await answer.turns.next();
    const joined = inheritance.joined(each);
    if (joined === null) {
      if (unreportable.length < MAX_DEAD_ENDS) unreportable.push(each);
      continue;
    }
    weight += metadataWeight + inheritance.weightOf(each);
    if (weight > MAX_CHAIN_WEIGHT) return tooHeavy(service, 'behind one wrapper', MAX_CHAIN_WEIGHT);
    if (answer.weight + weight > MAX_WRAPPED_WEIGHT)
      return tooHeavy(service, 'behind the wrappers of one answer', MAX_WRAPPED_WEIGHT);
    ads.push(serviceAd(id, sequence, metadata, joined));
  }
  const dead = unreportable.map(hasTooManyUrls);
  if (ads.length === 0 && dead[0] !== undefined) return dead[0];
  for (const each of dead) chain.note(each);
  answer.weight += weight;
  return { kind: 'resolved', ads };
}

function hasTooManyUrls({ inline, wrappers }: Found): Nowhere {
  const detail = `more than ${VAST_LIMITS.urls} URLs with those of its wrappers`;
  return nowhere(
    detail,
    VAST_ERROR.wrapper,
    [inline, ...wrappers].flatMap((ad) => ad.errors),
  );
}

function tooHeavy({ wrapper }: ServiceWrapper, where: string, most: number): Nowhere {
  return nowhere(`more than ${most} bytes of ads ${where}`, VAST_ERROR.wrapper, wrapper.errors);
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

/** The chain of documents behind one wrapper of the service; a tree where a wrapper allows several ads. */
class Chain {
  private documents = 0;
  /** Failures other than the result of `follow`. */
  readonly deadEnds: DeadEnd[] = [];
  /** Length of all downloaded documents, UTF-16 code units. */
  private length = 0;

  constructor(
    private readonly options: WrapperOptions,
    private readonly answer: Answer,
  ) {}

  /** Resolves one wrapper. @param outer the wrappers around it, innermost first */
  async follow(wrapper: WrapperAd, outer: readonly WrapperAd[]): Promise<ChainEnd> {
    const wrappers = [wrapper, ...outer];
    const errorUrls = wrappers.flatMap(({ errors }) => errors);
    const refusal = this.refusal(wrapper, outer);
    if (refusal !== null) return nowhere(...refusal, errorUrls);
    const fetched = await this.fetch(wrapper.adTagUrl);
    if (fetched.kind === 'error')
      return nowhere(fetched.message, VAST_ERROR.wrapperTimeout, fetched.isUnsent ? [] : errorUrls);
    this.answer.hasArrived = true;
    this.length += fetched.text.length;
    if (this.length > MAX_CHAIN_LENGTH) {
      const detail = `documents of more than ${MAX_CHAIN_LENGTH} characters behind one ad`;
      return nowhere(detail, VAST_ERROR.wrapperLimit, errorUrls);
    }
    const document = await this.read(fetched.text);
    if (document === 'too-late') return nowhere(TOO_LATE, VAST_ERROR.wrapperTimeout, errorUrls);
    if (document.kind === 'unreadable') {
      // Many servers answer so if they have no ad.
      const code = document.code === 'empty' ? VAST_ERROR.noAd : VAST_ERROR.wrapper;
      return nowhere(`the wrapped document: ${document.message}`, code, errorUrls);
    }
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

  /** Adds a dead end, of which a bounded number is kept. */
  note({ errorUrls, errorCode }: DeadEnd): void {
    if (errorUrls.length === 0 || this.deadEnds.length === MAX_DEAD_ENDS) return;
    this.deadEnds.push({ errorUrls: errorUrls.slice(0, MAX_DEAD_END_URLS), errorCode });
  }

  /**
   * Follows every ad, or if the innermost of `wrappers` admits only one: the first, and those that take its place.
   * If none leads to an ad, the result is the first failure; the other failures become dead ends.
   */
  async into(ads: readonly (InlineAd | WrapperAd)[], wrappers: readonly WrapperAd[]): Promise<ChainEnd> {
    const found: Found[] = [];
    let dead: Nowhere | null = null;
    for (const ad of ads) {
      // Collecting the error URLs of all outer wrappers takes time when there are hundreds of wrappers.
      if (this.answer.turns.isOver()) await this.answer.turns.next();
      const end: ChainEnd =
        ad.kind === 'inline'
          ? { kind: 'found', found: [{ inline: ad, wrappers }] }
          : await this.follow(ad, wrappers);
      if (end.kind === 'found') found.push(...end.found);
      else if (dead === null) dead = end;
      else this.note(end);
      const isReplaced = end.kind === 'nowhere' && ad.kind === 'wrapper' && ad.fallbackOnNoAd;
      if (!wrappers[0]?.allowMultipleAds && !isReplaced) break;
    }
    if (dead === null) return { kind: 'found', found };
    if (found.length === 0) return dead;
    this.note(dead);
    return { kind: 'found', found };
  }

  /** Why a wrapper is not followed, and the VAST error code for it. */
  private refusal({ adTagUrl }: WrapperAd, outer: readonly WrapperAd[]): [string, number] | null {
    const { wrapper, wrapperLimit, wrapperTimeout } = VAST_ERROR;
    if (adTagUrl === '') return ['the wrapper names no document', wrapper];
    if (!/^https?:\/\//i.test(adTagUrl) || !URL.canParse(adTagUrl))
      return ['the wrapper names an address that is not http(s)', wrapper];
    if (outer.length >= MAX_WRAPPERS) return [`more than ${MAX_WRAPPERS} wrappers in a chain`, wrapperLimit];
    if (outer.some((each) => each.adTagUrl === adTagUrl)) return ['the wrappers form a loop', wrapperLimit];
    if (this.documents >= MAX_DOCUMENTS)
      return [`more than ${MAX_DOCUMENTS} documents behind one ad`, wrapperLimit];
    if ((this.answer.timeouts.get(new URL(adTagUrl).origin) ?? 0) >= MAX_TIMEOUTS)
      return [`${MAX_TIMEOUTS} other documents of its server did not arrive in time`, wrapperTimeout];
    return this.options.signal?.aborted ? [TOO_LATE, wrapperTimeout] : null;
  }

  /** Reads a document; `too-late` when the answer's time is over, even while the reader is busy. */
  private async read(text: string): Promise<VastDocument | Unreadable | ReadingError | 'too-late'> {
    const { signal, schedule, readDocument } = this.options;
    const end = startDeadline(Number.POSITIVE_INFINITY, schedule, signal);
    const read = () => readDocument(text, { extensionType: null, limits: WRAPPED_LIMITS });
    return beforeDeadline(end, read).catch((error: unknown) => {
      if (end.signal.aborted) return 'too-late';
      throw error;
    });
  }

  private async fetch(url: string): Promise<FetchedDocument> {
    const { deadlineMs = 10_000, signal, schedule, fetchDocument } = this.options;
    const { timeouts } = this.answer;
    const { origin } = new URL(url);
    this.documents++;
    try {
      const fetched = await beforeDeadline(startDeadline(deadlineMs, schedule, signal), (end) =>
        fetchDocument(url, end),
      );
      timeouts.delete(origin);
      return fetched;
    } catch (error) {
      if (signal?.aborted) return { kind: 'error', message: TOO_LATE };
      timeouts.set(origin, isTimeout(error) ? (timeouts.get(origin) ?? 0) + 1 : 0);
      const isUnsent = error instanceof SendError && error.left === 'no' && error.code !== 'fenced';
      this.answer.hasUnsent ||= isUnsent;
      const within = isTimeout(error) ? ` within ${deadlineMs} ms` : '';
      return { kind: 'error', message: `the wrapped document did not arrive${within}`, isUnsent };
    }
  }
}

/**
 * The ads of a document that the wrapper admits. If it allows only one: the stand-alone ads, because a later one may
 * take the place of the first, or if there is only a pod, the pod's first.
 */
function admitted(ads: readonly VastAd[], wrapper: WrapperAd): (InlineAd | WrapperAd)[] {
  const sound = ads.filter((ad) => ad.kind !== 'malformed');
  const followed = wrapper.followAdditionalWrappers ? sound : sound.filter((ad) => ad.kind === 'inline');
  if (wrapper.allowMultipleAds) return followed;
  const alone = followed.filter(({ sequence }) => sequence === null);
  return alone.length > 0 ? alone : followed.slice(0, 1);
}
