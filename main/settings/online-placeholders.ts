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

/** A template in pieces, in order: plain text, or the name of a placeholder (known or not). */
export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: string };

/** Splits `"w-{weather.types}"` into its pieces. A brace without its partner is plain text. */
export function templatePieces(template: string): readonly TemplatePiece[] {
  return template
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece.startsWith('{') && piece.endsWith('}')
        ? { kind: 'placeholder', name: piece.slice(1, -1).trim() }
        : { kind: 'text', text: piece },
    );
}

/** The names of the placeholders in a parameter, known or not. */
export const placeholdersIn = (templates: string | readonly string[]): readonly string[] =>
  [templates]
    .flat()
    .flatMap(templatePieces)
    .flatMap((piece) => (piece.kind === 'placeholder' ? [piece.name] : []));

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
