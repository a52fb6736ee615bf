import type { TrackingUrl } from '../../../shared/ad';
import { weightOf } from '../../reading/portions';
import { type InlineAd, VAST_LIMITS, type WrapperAd } from './vast-document';

/** An ad behind wrappers. */
export interface Found {
  readonly inline: InlineAd;
  /** From the innermost to the service's own wrapper. */
  readonly wrappers: readonly WrapperAd[];
}

/**
 * Most memory that the ads behind one wrapper of the service may take, with metadata and all that they
 * inherit (about bytes, counted by `weightOf`). Needed because every ad copies the URLs of its wrappers, so
 * small documents multiply.
 */
export const MAX_CHAIN_WEIGHT = 4 * 1024 * 1024;
/** The same for all wrappers of an answer; half of the longest answer. */
export const MAX_WRAPPED_WEIGHT = 32 * 1024 * 1024;

/** Weighs and joins the ads behind one wrapper of the service. Each wrapper is weighed only once. */
export class Inheritance {
  private readonly weights = new WeakMap<WrapperAd, number>();

  /** About how many bytes the ad takes with all that it inherits. Cheap, because nothing is joined. */
  weightOf({ inline, wrappers }: Found): number {
    let weight = weightOf(inline);
    for (const wrapper of wrappers) {
      const known = this.weights.get(wrapper) ?? weightOf(wrapper);
      this.weights.set(wrapper, known);
      weight += known;
    }
    return weight;
  }

  /**
   * The ad with everything it inherits, the service's own last. Null: it would have more URLs than an ad may
   * have (`VAST_LIMITS.urls`), so its plays could not be reported completely.
   */
  joined({ inline, wrappers }: Found): InlineAd | null {
    const all = [inline, ...wrappers];
    const urls = all.reduce((sum, ad) => sum + urlsOf(ad), 0);
    if (urls > VAST_LIMITS.urls) return null;
    return {
      ...inline,
      title: all.find(({ title }) => title !== null)?.title ?? null,
      impressions: all.flatMap(({ impressions }) => impressions),
      tracking: all.flatMap(({ tracking }): TrackingUrl[] => tracking),
      errors: all.flatMap(({ errors }) => errors),
      // The innermost landing page wins: a wrapper's is for creatives without one.
      clickThrough: all.find(({ clickThrough }) => clickThrough !== null)?.clickThrough ?? null,
      clickTracking: all.flatMap(({ clickTracking }) => clickTracking),
      ...inherited('viewable', all),
      ...inherited('notVerified', all),
    };
  }
}

/** Sets lists that most ads do not have only if they are not empty. */
function inherited(name: 'viewable' | 'notVerified', all: ReadonlyArray<InlineAd | WrapperAd>) {
  const urls = all.flatMap((ad) => ad[name] ?? []);
  return urls.length === 0 ? {} : { [name]: urls };
}

function urlsOf(ad: InlineAd | WrapperAd): number {
  const { impressions, tracking, errors, clickTracking, viewable = [], notVerified = [] } = ad;
  const lists = [impressions, tracking, errors, clickTracking, viewable, notVerified];
  return lists.reduce((sum, { length }) => sum + length, 0);
}
