import type { Audience, DemographicProfile, TargetingCondition } from '../../shared/ad';

/**
 * What the kiosk knows about the moment: the latest unexpired signals. A null
 * part is a signal that is absent, silent past its time to live, or deleted.
 */
export interface Context {
  /** Null: nobody is detected. */
  readonly shopper: {
    readonly people: ReadonlyArray<{ readonly ageRange: string | null; readonly gender: string }>;
    /** People the sensor counts, at least 1; may exceed `people.length` (rule 6 and the local API). */
    readonly groupSize: number;
    /** Opaque id that the sensor gave to this moment. It is only passed on to the service; no decision uses it. */
    readonly activationId?: string;
  } | null;
  readonly cart: { readonly skus: readonly string[]; readonly items: readonly string[] } | null;
  readonly weather: {
    /** Includes the types derived from the temperature (ABOVE_20, BELOW_10). */
    readonly types: readonly string[];
    /** Only passed on to the service; no decision uses it. */
    readonly temperatureCelsius?: number;
  } | null;
}

export const EMPTY_CONTEXT: Context = { shopper: null, cart: null, weather: null };

/** Whether an audience fits the moment, and which condition decided, in words (rule 6). */
export interface AudienceMatch {
  readonly matches: boolean;
  /** Names what the ad asks for, never what the sensors saw. */
  readonly detail: string;
}

/** A context, prepared for comparison with many conditions. */
export interface Moment {
  readonly shopper: {
    /** How many people are detected, those of unknown age and gender included. */
    readonly detected: number;
    readonly genders: ReadonlySet<string>;
    readonly gendersByAge: ReadonlyMap<string, ReadonlySet<string>>;
  } | null;
  readonly cart: { readonly skus: ReadonlySet<string>; readonly items: ReadonlySet<string> } | null;
  readonly weather: ReadonlySet<string> | null;
}

/** Most targeting groups that a detail describes one by one. */
const GROUPS_SPELLED_OUT = 3;

/**
 * Rule 6: no audience matches everyone; groups are OR'd and no group is no match;
 * conditions are AND'd and no condition is a match.
 */
export function matchAudience(audience: Audience | null, context: Context): AudienceMatch {
  if (audience === null) return { matches: true, detail: 'It has no audience, so it matches everyone.' };
  if (audience.groups.length === 0) {
    return { matches: false, detail: 'Its audience lists no targeting group, so it matches nobody.' };
  }
  const matching = matchingGroup(audience, context);
  if (matching !== null)
    return { matches: true, detail: `Targeting group ${matching + 1} of ${audience.groups.length} matches.` };
  const moment = momentOf(context);
  const spelledOut = audience.groups.slice(0, GROUPS_SPELLED_OUT).flatMap(({ conditions }, index) => {
    const failed = conditions.find((condition) => !conditionMatches(foldCondition(condition), moment));
    return failed ? [`group ${index + 1} ${inWords(failed)}`] : [];
  });
  const more = audience.groups.length - GROUPS_SPELLED_OUT;
  return {
    matches: false,
    detail: `No targeting group matches: ${spelledOut.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
  };
}

/** Index, from 0, of the first group whose conditions all hold; null when there is none (rule 6). */
export function matchingGroup({ groups }: Audience, context: Context): number | null {
  const moment = momentOf(context);
  const found = groups.findIndex(({ conditions }) =>
    conditions.every((condition) => conditionMatches(foldCondition(condition), moment)),
  );
  return found < 0 ? null : found;
}

/** Prepares a context: folds the cart's items, turns lists into sets and groups people by age. */
export function momentOf(context: Context): Moment {
  const { shopper, cart, weather } = context;
  return {
    shopper: shopper && peopleOf(shopper),
    cart: cart && {
      skus: new Set(cart.skus),
      items: new Set(cart.items.map(foldItem).filter((item) => item !== '')),
    },
    weather: weather && new Set(weather.types),
  };
}

function peopleOf({ people, groupSize }: NonNullable<Context['shopper']>): NonNullable<Moment['shopper']> {
  const gendersByAge = new Map<string, Set<string>>();
  for (const { ageRange, gender } of people) {
    if (ageRange === null) continue;
    const genders = gendersByAge.get(ageRange);
    if (genders === undefined) gendersByAge.set(ageRange, new Set([gender]));
    else genders.add(gender);
  }
  const genders = new Set(people.map(({ gender }) => gender));
  return { detected: Math.max(groupSize, people.length), genders, gendersByAge };
}

/** The same condition with its basket items folded, ready for `conditionMatches`. Idempotent. */
export function foldCondition(condition: TargetingCondition): TargetingCondition {
  if (condition.kind !== 'basket') return condition;
  return { ...condition, items: condition.items.map(foldItem) };
}

/** Rule 6 for one folded condition. */
export function conditionMatches(condition: TargetingCondition, moment: Moment): boolean {
  switch (condition.kind) {
    case 'demographic':
      return condition.profiles.some((profile) => profileFits(profile, moment.shopper));
    case 'basket': {
      const { cart } = moment;
      if (cart === null) return false;
      return (
        condition.skus.some((sku) => cart.skus.has(sku)) ||
        condition.items.some((item) => cart.items.has(item))
      );
    }
    case 'weather': {
      const { weather } = moment;
      return weather !== null && condition.types.some((type) => weather.has(type));
    }
    case 'unreadable':
      return false;
  }
}

/**
 * Age and gender must fit the same person. People counted beyond the list are
 * of unknown age and gender and fit only a profile that asks for neither.
 */
function profileFits(profile: DemographicProfile, shopper: Moment['shopper']): boolean {
  if (shopper === null || shopper.detected < 1) return false;
  const { ageRange, gender, groupSize } = profile;
  if (groupSize !== null && !comparisonHolds(shopper.detected, groupSize.operator, groupSize.value))
    return false;
  if (ageRange === null) return gender === null || shopper.genders.has(gender);
  const genders = shopper.gendersByAge.get(ageRange);
  return genders !== undefined && (gender === null || genders.has(gender));
}

type Comparison = readonly [inWords: string, holds: (count: number, value: number) => boolean];

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['COUNT_COMPARISON_OPERATOR_EQUAL', ['exactly', (count, value) => count === value]],
  ['COUNT_COMPARISON_OPERATOR_LESS_THAN', ['less than', (count, value) => count < value]],
  ['COUNT_COMPARISON_OPERATOR_LESS_THAN_OR_EQUAL', ['at most', (count, value) => count <= value]],
  ['COUNT_COMPARISON_OPERATOR_GREATER_THAN', ['more than', (count, value) => count > value]],
  ['COUNT_COMPARISON_OPERATOR_GREATER_THAN_OR_EQUAL', ['at least', (count, value) => count >= value]],
]);

/** An absent operator matches any count, an unknown one none. */
function comparisonHolds(count: number, operator: string | null, value: number): boolean {
  if (operator === null) return true;
  const [, holds] = COMPARISONS.get(operator) ?? [];
  return holds?.(count, value) ?? false;
}

function comparisonInWords(operator: string): string {
  const [inWords] = COMPARISONS.get(operator) ?? [];
  return inWords ?? `${quoted(operator)} (an operator this player does not know)`;
}

/**
 * Product names and categories are typed by people: compared trimmed, in
 * Unicode's compatibility form and without case. Upper case, because it also
 * folds ß and the final sigma.
 */
function foldItem(item: string): string {
  return item.normalize('NFKC').trim().toUpperCase().normalize('NFKC');
}

/** Completes "group 1 …". */
function inWords(condition: TargetingCondition): string {
  switch (condition.kind) {
    case 'demographic':
      if (condition.profiles.length === 0) return 'has a demographic condition without profiles';
      return `needs a shopper who is ${listed(condition.profiles, profileInWords)}`;
    case 'basket': {
      const wanted = [
        ...condition.skus.map((name) => ({ kind: 'sku', name })),
        ...condition.items.map((name) => ({ kind: 'item', name })),
      ];
      if (wanted.length === 0) return 'has a basket condition without skus or items';
      return `needs a cart with ${listed(wanted, ({ kind, name }) => `${kind} ${quoted(name)}`)}`;
    }
    case 'weather':
      if (condition.types.length === 0) return 'has a weather condition without types';
      return `needs weather ${listed(condition.types, quoted)}`;
    case 'unreadable':
      return `has a condition this player cannot read (${quoted(condition.detail)})`;
  }
}

function profileInWords({ ageRange, gender, groupSize }: DemographicProfile): string {
  const parts = [
    ...(ageRange === null ? [] : [quoted(ageRange)]),
    ...(gender === null ? [] : [quoted(gender)]),
    ...(groupSize === null || groupSize.operator === null
      ? []
      : [`in a group of ${comparisonInWords(groupSize.operator)} ${groupSize.value}`]),
  ];
  return parts.length === 0 ? 'anyone' : parts.join(' ');
}

/** How many values of a list are spelled out before "and N more". */
const MAX_LISTED = 5;
/** Longest text from the service that is shown to staff, in characters. */
const MAX_QUOTED_LENGTH = 60;

/** A text from the service, cut to a readable length and without control characters. */
export function quoted(value: string): string {
  const plain = value.replace(/\p{C}+/gu, ' ');
  return plain.length > MAX_QUOTED_LENGTH ? `${plain.slice(0, MAX_QUOTED_LENGTH)}…` : plain;
}

/** The first few values in words, joined, and how many more there are. */
function listed<Value>(values: readonly Value[], inWords: (value: Value) => string): string {
  const more = values.length - MAX_LISTED;
  const shown = values.slice(0, MAX_LISTED).map(inWords).join(' or ');
  return more > 0 ? `${shown} or ${more} more` : shown;
}
