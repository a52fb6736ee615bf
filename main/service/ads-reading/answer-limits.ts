import type { AdMetadata, Audience, TargetingCondition } from '../../../shared/ad';
import { type Unreadable, unreadable } from './vast-document';

/*
 * Bounds of one answer (rule 31). Main decides about the whole playlist without a pause, at its start and at
 * every new signal; within these bounds that takes less than 50 ms. An answer beyond them is an error, and
 * the current playlist stays; of too many sources only the ads are rejected.
 */

/** Ads and wrappers of one answer, and the ads behind its wrappers; the number that the budgets promise. */
export const MAX_ADS = 10_000;
/** Groups, conditions and their entries (profiles, products, types of weather); equal conditions count once. */
export const MAX_TARGETS = 50_000;
/** The same, but each mention counts: every ad has its own copy, even of equal conditions. */
export const MAX_TARGET_MENTIONS = 500_000;
/** Frequency caps; equal ones of the same flight count once. */
export const MAX_CAPS = 50_000;
/** The same, but each mention counts. */
export const MAX_CAP_MENTIONS = 100_000;
/** Different sources: the source mix of all of them is stored with every play. Ads of further ones are rejected. */
export const MAX_SOURCES = 1_000;

type WithMetadata = { readonly metadata: AdMetadata };

/** An error if `came` ads are too many for one answer; null: they are accepted. */
export function tooManyAds(came: number): Unreadable | null {
  return came <= MAX_ADS
    ? null
    : unreadable('too-many-ads', `${came} ads came, at most ${MAX_ADS} are taken of one answer`);
}

/**
 * An error if the targeting or the caps of an answer are too many; null: they are accepted. Linear in their
 * size.
 */
export function tooMuchTargeting(ads: readonly WithMetadata[]): Unreadable | null {
  // The cheap count first: most answers are below the limit even when equal conditions count each time.
  const what = 'targeting conditions, profiles and products';
  const mentions = sum(ads, ({ metadata }) => targetsOf(metadata.audience));
  if (mentions > MAX_TARGET_MENTIONS) {
    const most = `at most ${MAX_TARGET_MENTIONS} are taken, equal ones included`;
    return unreadable('too-much-targeting', `${mentions} ${what} came, ${most}`);
  }
  if (mentions > MAX_TARGETS) {
    const came = distinctTargets(ads);
    if (came > MAX_TARGETS)
      return unreadable('too-much-targeting', `${came} ${what} came, at most ${MAX_TARGETS} are taken`);
  }
  const capMentions = sum(ads, ({ metadata }) => metadata.frequencyCaps.length);
  if (capMentions > MAX_CAP_MENTIONS) {
    const most = `at most ${MAX_CAP_MENTIONS} are taken, equal ones included`;
    return unreadable('too-much-targeting', `${capMentions} frequency caps came, ${most}`);
  }
  if (capMentions > MAX_CAPS) {
    const came = distinctCaps(ads);
    if (came > MAX_CAPS)
      return unreadable('too-much-targeting', `${came} frequency caps came, at most ${MAX_CAPS} are taken`);
  }
  return null;
}

/** Returns a function that says whether an ad, by its metadata, is of one of the first `MAX_SOURCES` sources. */
export function firstSources(): (metadata: AdMetadata) => boolean {
  const sources = new Set<string>();
  return ({ sourceId }) => {
    if (sourceId === null) return true;
    if (sources.size < MAX_SOURCES) sources.add(sourceId);
    return sources.has(sourceId);
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}

/** Counts as the decider stores them: equal conditions once, equal audiences once. */
function distinctTargets(ads: readonly WithMetadata[]): number {
  let targets = 0;
  const indices = new Map<string, number>();
  const indexOf = (condition: TargetingCondition): number => {
    const key = JSON.stringify(condition);
    const index = indices.get(key) ?? indices.size;
    if (index === indices.size) targets += targetsOfCondition(condition) - 1;
    indices.set(key, index);
    return index;
  };
  const audiences = new Set<string>();
  for (const { metadata } of ads) {
    const groups = (metadata.audience?.groups ?? []).map(({ conditions }) => conditions.map(indexOf));
    const key = JSON.stringify(groups);
    // Each mention of a condition costs a look-up, even if another audience has the same condition.
    if (!audiences.has(key)) targets += sum(groups, (group) => 1 + group.length);
    audiences.add(key);
  }
  return targets;
}

function distinctCaps(ads: readonly WithMetadata[]): number {
  const lists = new Map<string, number>();
  for (const { metadata } of ads) {
    const { flightId, frequencyCaps } = metadata;
    lists.set(JSON.stringify([flightId, frequencyCaps]), frequencyCaps.length);
  }
  return sum([...lists.values()], (length) => length);
}

/** Groups, conditions and their entries (profiles, products, types of weather); each mention counts. */
export function targetsOf(audience: Audience | null): number {
  let targets = 0;
  for (const { conditions } of audience?.groups ?? []) {
    targets += 1;
    for (const condition of conditions) targets += targetsOfCondition(condition);
  }
  return targets;
}

/** The condition itself and its entries. */
function targetsOfCondition(condition: TargetingCondition): number {
  switch (condition.kind) {
    case 'demographic':
      return 1 + condition.profiles.length;
    case 'basket':
      return 1 + condition.skus.length + condition.items.length;
    case 'weather':
      return 1 + condition.types.length;
    case 'unreadable':
      return 1;
  }
}
