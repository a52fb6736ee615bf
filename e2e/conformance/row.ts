import type { NamedTest } from '../test-titles';

/** One thing that the interface says, and the tests that show the kiosk doing it. */
export interface Row {
  /** Unique: where the interface says it, `FrequencyCap.limit`. */
  readonly id: string;
  /** In a few words of our own. */
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

/** A file's tests, by title. */
export const testsOf =
  (file: string) =>
  (...titles: readonly string[]): NamedTest => ({ file, titles });
