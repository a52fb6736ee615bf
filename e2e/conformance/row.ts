import type { NamedTest } from '../test-titles';

/** One requirement of the interface, and the tests that show that the kiosk meets it. */
export interface Row {
  /** Unique; names the place in the interface, such as `FrequencyCap.limit`. */
  readonly id: string;
  /** The requirement in a few words. */
  readonly says: string;
  readonly shownBy: readonly NamedTest[];
}

export interface Area {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const row = (id: string, says: string, ...shownBy: readonly NamedTest[]): Row => ({
  id,
  says,
  shownBy,
});

/** Returns a function that names tests of `file` by title. */
export const testsOf =
  (file: string) =>
  (...titles: readonly string[]): NamedTest => ({ file, titles });
