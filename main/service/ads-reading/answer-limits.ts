import type { AdMetadata, Audience, TargetingCondition } from '../../../shared/ad';
import type { Unreadable } from './vast-document';

/*
 * What main takes of one answer (rule 31). It lays out and judges all of a playlist in
 * single turns, at its start and at every new signal; with so much a turn stays below
 * 50 ms. More is an error of that answer: the playlist before it goes on.
 */

/** Ads that may play or lead to others, those behind wrappers included: as many as the budgets speak of. */
export const MOST_ADS = 10_000;
/** Groups, conditions and what these list (profiles, products, types of weather); equal conditions count once. */
export const MOST_TARGETS = 50_000;
/** The same, each time they are named: every ad is copied with its own, equal or not. */
export const MOST_TARGET_MENTIONS = 500_000;
/** Frequency caps; those of the ads of a flight count once where they are equal. */
export const MOST_CAPS = 50_000;

type WithMetadata = { readonly metadata: AdMetadata };

/** Why an answer of so many ads is not taken; null: it is. */
export function tooManyAds(came: number): Unreadable | null {
  return came <= MOST_ADS
    ? null
    : tooMuch('too-many-ads', `${came} ads came, at most ${MOST_ADS} are taken of one answer`);
}

/** Why an answer with these metadata is not taken; null: it is. Linear in them. */
export function tooMuchTargeting(ads: readonly WithMetadata[]): Unreadable | null {
  // Cheap first: most answers are below the limit even if equal ones count each time.
  const what = 'targeting conditions, profiles and products';
  const mentions = sum(ads, ({ metadata }) => targetsOf(metadata.audience));
  if (mentions > MOST_TARGET_MENTIONS) {
    const most = `at most ${MOST_TARGET_MENTIONS} are taken, equal ones included`;
    return tooMuch('too-much-targeting', `${mentions} ${what} came, ${most}`);
  }
  if (mentions > MOST_TARGETS) {
    const came = distinctTargets(ads);
    if (came > MOST_TARGETS)
      return tooMuch('too-much-targeting', `${came} ${what} came, at most ${MOST_TARGETS} are taken`);
  }
  if (sum(ads, ({ metadata }) => metadata.frequencyCaps.length) > MOST_CAPS) {
    const came = distinctCaps(ads);
    if (came > MOST_CAPS)
      return tooMuch('too-much-targeting', `${came} frequency caps came, at most ${MOST_CAPS} are taken`);
  }
  return null;
}

function tooMuch(code: Unreadable['code'], message: string): Unreadable {
  return { kind: 'unreadable', code, message };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}

/** Counted as the decider stores them: equal conditions once, equal audiences once. */
function distinctTargets(ads: readonly WithMetadata[]): number {
  const conditions = new Map<string, number>();
  const audiences = new Map<string, number>();
  for (const { metadata } of ads) {
    const groups = metadata.audience?.groups ?? [];
    const indices = groups.map((group) =>
      group.conditions.map((condition) => indexOf(conditions, condition)),
    );
    const key = JSON.stringify(indices);
    if (audiences.has(key)) continue;
    // Each mention of a condition costs a look-up, also of one that another audience has.
    audiences.set(
      key,
      sum(indices, (group) => 1 + group.length),
    );
  }
  const listed = [...conditions.keys()].map(
    (key) => targetsOfCondition(JSON.parse(key) as TargetingCondition) - 1,
  );
  return sum(listed, (weight) => weight) + sum([...audiences.values()], (mentions) => mentions);
}

function indexOf(known: Map<string, number>, condition: TargetingCondition): number {
  const key = JSON.stringify(condition);
  const index = known.get(key) ?? known.size;
  known.set(key, index);
  return index;
}

function distinctCaps(ads: readonly WithMetadata[]): number {
  const lists = new Map<string, number>();
  for (const { metadata } of ads) {
    const { flightId, frequencyCaps } = metadata;
    lists.set(JSON.stringify([flightId, frequencyCaps]), frequencyCaps.length);
  }
  return sum([...lists.values()], (length) => length);
}

/** Groups, conditions and what these list (profiles, products, types of weather), each time they are named. */
export function targetsOf(audience: Audience | null): number {
  let targets = 0;
  for (const { conditions } of audience?.groups ?? []) {
    targets += 1;
    for (const condition of conditions) targets += targetsOfCondition(condition);
  }
  return targets;
}

/** A condition, and what it lists. */
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
