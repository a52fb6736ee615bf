/** The names that `ads.onlineParams` may contain in braces. */
export const ONLINE_PLACEHOLDERS = [
  'shopper.ageRange',
  'shopper.gender',
  'shopper.groupSize',
  'shopper.activationId',
  'cart.skus',
  'cart.items',
  'weather.types',
  'weather.temperatureCelsius',
] as const;
export type OnlinePlaceholder = (typeof ONLINE_PLACEHOLDERS)[number];

/** Splits `"w-{weather.types}"` at its braces: every second piece is the name of a placeholder, known or not. */
export const templatePieces = (template: string): readonly string[] => template.split(/\{([^{}]*)\}/);

/** The names of the placeholders in a parameter, known or not. */
export const placeholdersIn = (templates: string | readonly string[]): readonly string[] =>
  [templates].flat().flatMap((template) =>
    templatePieces(template)
      .filter((_piece, index) => index % 2 === 1)
      .map((name) => name.trim()),
  );

/** Placeholders with data about a person (rule 20). */
const DEMOGRAPHIC: ReadonlySet<string> = new Set<OnlinePlaceholder>(['shopper.ageRange', 'shopper.gender']);

/**
 * One sentence for each parameter that is never sent where sensed age and gender must not be (rule 20). Pure.
 */
export function suppressedDemographics(
  onlineParams: Readonly<Record<string, string | readonly string[]>>,
): string[] {
  return Object.entries(onlineParams).flatMap(([name, templates]) =>
    placeholdersIn(templates).some((placeholder) => DEMOGRAPHIC.has(placeholder))
      ? [
          `ads.onlineParams.${name} is not sent: sensed age and gender need native.sendSensorDemographics true, native.params.dnt "0" and no native.params.coppa "1". Set these, or remove the parameter.`,
        ]
      : [],
  );
}

export function isOnlinePlaceholder(name: string): name is OnlinePlaceholder {
  return (ONLINE_PLACEHOLDERS as readonly string[]).includes(name);
}
