/** What `ads.onlineParams` may hold between braces. */
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

export function isOnlinePlaceholder(name: string): name is OnlinePlaceholder {
  return (ONLINE_PLACEHOLDERS as readonly string[]).includes(name);
}
