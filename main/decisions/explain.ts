import type { Ad } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import type { Block } from '../fleet/link/block';
import { type Context, matchAudience, quoted } from './audience';
import { recountKeepingAll } from './flight-counters';
import { type CapUse, isKnownWindow, isReached, isUncountable } from './frequency-caps';
import { capFreeFrom, type RunningTime, usedInWindow } from './judge-caps';

/** Why an ad may not play; all that apply, in this order. */
export const REASONS = ['expired', 'audience', 'capped', 'uncountable', 'no-media', 'blocked'] as const;
export type Reason = (typeof REASONS)[number];

/** How many reached caps are spelled out. */
const MAX_CAPS_SPELLED_OUT = 3;

/** Whether an ad may play, and why not (rules 5 to 7, 30). */
export interface Explanation {
  readonly eligible: boolean;
  /** Empty exactly when eligible. */
  readonly reasons: readonly Reason[];
  /** A few sentences: which date, condition or cap. Holds nothing that the sensors saw. */
  readonly detail: string;
  /** One for each of the ad's caps, in its order. */
  readonly caps: readonly CapUse[];
}

/** What an ad is judged against. Times: ms since the epoch, UTC. */
export interface Circumstances {
  readonly at: number;
  readonly context: Context;
  /** Counters of the ad's own flight; null while it never played or when the ad has none. */
  readonly counters: FlightCounters | null;
  /** How long the kiosk has run in all, and whether its time is trusted (rule 10). Default: 0 ms, trusted. */
  readonly running?: RunningTime;
  /** Whether the file that would be shown is ready, or why not. */
  readonly media: Media;
  /** When ads without an expiry of their own stop (rule 3); null: never. */
  readonly staleAt?: number | null;
  /** `trusted`: the service has matched the audience already (rule 6, online answers). Default: judged here. */
  readonly audience?: 'judged' | 'trusted';
  /** The fleet operator's block that applies to the ad (rule 30). */
  readonly block?: Block | null;
}

/** `unsupported`: none of the ad's files suits this kiosk; `not-ready`: the chosen one is not verified on disk. */
export type Media =
  | { readonly state: 'ready' }
  /** `why`: the reason in words, when the file is on disk but must not be shown. */
  | { readonly state: 'not-ready'; readonly url: string; readonly why?: string }
  | { readonly state: 'unsupported' };

/** A play as far as caps are concerned; `at` in ms since the epoch, UTC. */
export interface CountedPlay {
  readonly flightId: string;
  readonly at: number;
}

/** When the ad stops: its own expiry, else `staleAt` (rule 3), else never. It is still valid at that very moment (rule 5). */
export function validUntil(ad: Ad, staleAt: number | null): number {
  return ad.metadata.expiresAt ?? staleAt ?? Number.POSITIVE_INFINITY;
}

/** Judges one ad by rules 5 to 7 and 30. */
export function explainAd(ad: Ad, circumstances: Circumstances): Explanation {
  const { at, context, counters, media } = circumstances;
  const running = circumstances.running ?? { at, ran: 0, isTrusted: true };
  const { audience, flightId, frequencyCaps } = ad.metadata;
  const reasons: Reason[] = [];
  const sentences: string[] = [];

  const until = validUntil(ad, circumstances.staleAt ?? null);
  if (at > until) {
    reasons.push('expired');
    sentences.push(
      ad.metadata.expiresAt === null
        ? `It has no expiry of its own and the last good answer is too old: it stopped at ${shortInstant(until)}.`
        : `It expired at ${shortInstant(until)}.`,
    );
  }

  const match =
    circumstances.audience === 'trusted'
      ? { matches: true, detail: 'The service has matched its audience.' }
      : matchAudience(audience, context);
  if (!match.matches) {
    reasons.push('audience');
    sentences.push(match.detail);
  }

  const uncountable = isUncountable(flightId, frequencyCaps);
  const caps: CapUse[] = frequencyCaps.map(({ window, limit }) => ({
    window,
    limit,
    used: counters === null ? 0 : usedInWindow(counters, window, at, running),
  }));
  const reached = uncountable ? [] : caps.filter(isReached);
  if (reached.length > 0) {
    reasons.push('capped');
    sentences.push(
      ...reached.slice(0, MAX_CAPS_SPELLED_OUT).map((use) => capInWords(use, counters, running)),
    );
    const more = reached.length - MAX_CAPS_SPELLED_OUT;
    if (more > 0) sentences.push(`${more} more caps are reached too.`);
  }
  if (uncountable) {
    reasons.push('uncountable');
    sentences.push('It has frequency caps but no flight_id, so its plays cannot be counted.');
  }

  if (media.state !== 'ready') {
    reasons.push('no-media');
    sentences.push(
      media.state === 'unsupported'
        ? `None of its ${ad.mediaFiles.length} media files can be shown here.`
        : media.why === undefined
          ? `Its media is not complete and verified on disk: ${quoted(media.url)}.`
          : `Its media is ${media.why}: ${quoted(media.url)}.`,
    );
  }

  const { block } = circumstances;
  if (block) {
    reasons.push('blocked');
    sentences.push(`The fleet's operator has blocked it (${block.kind} ${quoted(block.id)}).`);
  }

  if (reasons.length === 0) {
    sentences.push(match.detail);
    if (Number.isFinite(until)) sentences.push(`It may play until ${shortInstant(until)}.`);
  }
  return { eligible: reasons.length === 0, reasons, detail: sentences.join(' '), caps };
}

/** Exact counters per flight from a plain list of plays, for `explainAd` over a given history. */
export function countersOf(plays: readonly CountedPlay[]): ReadonlyMap<string, FlightCounters> {
  const stamps = new Map<string, number[]>();
  for (const { flightId, at } of plays) {
    const known = stamps.get(flightId);
    if (known === undefined) stamps.set(flightId, [at]);
    else known.push(at);
  }
  return new Map([...stamps].map(([flightId, at]) => [flightId, recountKeepingAll(flightId, at)]));
}

function capInWords(use: CapUse, counters: FlightCounters | null, running: RunningTime): string {
  const window = isKnownWindow(use.window)
    ? use.window
    : `${quoted(use.window)} (unknown, so counted over the whole flight)`;
  if (use.limit === 0) return `Its cap of 0 plays in ${window} never lets it play.`;
  const free = counters === null ? Number.POSITIVE_INFINITY : capFreeFrom(counters, use, running);
  const again = Number.isFinite(free) ? `; the next may follow from ${shortInstant(free)}` : '';
  return `${use.used} of ${use.limit} plays in ${window} are used${again}.`;
}

/** A time (ms since the epoch) as RFC 3339 in UTC, without a fraction when it is a whole second. */
export function shortInstant(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'a time beyond the calendar';
  return date.toISOString().replace('.000Z', 'Z');
}
