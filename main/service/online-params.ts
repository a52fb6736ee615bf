import type { Context } from '../decisions/audience';
import { isOnlinePlaceholder, type OnlinePlaceholder, templatePieces } from '../settings/online-placeholders';

/** Query parameters as in the settings; a list repeats its parameter. */
export type Params = Readonly<Record<string, string | readonly string[]>>;

/** How often a parameter is repeated at most: a cart may have a thousand items, and a URL has to stay short. */
const MAX_REPEATS = 64;

/**
 * Fills `ads.onlineParams` from the current signals. A template that contains a list gives one text for each
 * value; a parameter without any value is left out. Age and gender are sent only of a single person: sensed
 * demographics of a group never leave the kiosk (rule 20).
 */
export function expandOnlineParams(templates: Params, context: Context): Params {
  const expanded: Record<string, readonly string[]> = {};
  for (const [name, setting] of Object.entries(templates)) {
    const values = [setting].flat().flatMap((template) => expandTemplate(template, context));
    if (values.length > 0) expanded[name] = values.slice(0, MAX_REPEATS);
  }
  return expanded;
}

/** The context without sensed age and gender (rule 20). */
export function withoutDemographics(context: Context): Context {
  const { shopper } = context;
  return { ...context, shopper: shopper && { ...shopper, people: [] } };
}

/** The sensed person, if a shopper is alone: sensed age and gender are sent of nobody else (rule 20). */
export function singlePerson({ shopper }: Context) {
  return shopper?.groupSize === 1 && shopper.people.length === 1 ? shopper.people[0] : undefined;
}

/** All values of a template; empty if a placeholder has no value. */
export function expandTemplate(template: string, context: Context): readonly string[] {
  let texts: readonly string[] = [''];
  for (const [index, piece] of templatePieces(template).entries()) {
    const values = index % 2 === 0 ? [piece] : placeholderValues(piece.trim(), context);
    texts = texts.flatMap((text) => values.map((value) => text + value)).slice(0, MAX_REPEATS);
  }
  return texts;
}

function placeholderValues(name: string, context: Context): readonly string[] {
  const { shopper, cart, weather } = context;
  const single = singlePerson(context);
  const values: Readonly<Record<OnlinePlaceholder, ReadonlyArray<string | number | null | undefined>>> = {
    'shopper.ageRange': [single?.ageRange],
    'shopper.gender': [single?.gender],
    'shopper.groupSize': [shopper?.groupSize],
    'shopper.activationId': [shopper?.activationId],
    'cart.skus': cart?.skus ?? [],
    'cart.items': cart?.items ?? [],
    'weather.types': weather?.types ?? [],
    'weather.temperatureCelsius': [weather?.temperatureCelsius],
  };
  const known = isOnlinePlaceholder(name) ? values[name] : [];
  return known.filter((value) => value !== null && value !== undefined && value !== '').map(String);
}
