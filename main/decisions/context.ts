/**
 * What the kiosk knows about the moment: the latest unexpired signals. A null
 * part is a signal that is absent, silent past its time to live, or deleted.
 */
export interface Context {
  /** Null: nobody is detected. */
  readonly shopper: {
    readonly people: ReadonlyArray<{ readonly ageRange: string | null; readonly gender: string }>;
    /** People the sensor counts, at least 1; may exceed `people.length` (rule 6 and the signals API). */
    readonly groupSize: number;
    /** The sensor's own name for this moment, which the service may ask for; it matters to no decision here. */
    readonly activationId?: string;
  } | null;
  readonly cart: { readonly skus: readonly string[]; readonly items: readonly string[] } | null;
  /** Includes the types derived from the temperature (ABOVE_20, BELOW_10). */
  readonly weather: { readonly types: readonly string[] } | null;
}

export const EMPTY_CONTEXT: Context = { shopper: null, cart: null, weather: null };
