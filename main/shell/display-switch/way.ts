/** What can switch a display, in the order in which they are tried: nearest to the picture first. */
export const WAY_NAMES = ['wlopm', 'sway', 'dpms', 'ddc', 'cec'] as const;
export type WayName = (typeof WAY_NAMES)[number];

/** One way to switch the displays of this machine, by a program of the system. */
export interface DisplayWay {
  readonly name: WayName;
  /** Null: it can switch a display here. Otherwise why not, in a few words. */
  probe(): Promise<string | null>;
  /** Resolves when the command was taken, which does not mean that the display obeys; rejects when it failed. */
  turn(on: boolean): Promise<void>;
  /** Whether a display is on; null: it does not say. Rejects when the program fails. */
  read(): Promise<boolean | null>;
  /** How long a display may take to obey, ms. */
  readonly obeysWithinMs: number;
  /** How often it may be read while nothing changes, ms. */
  readonly readEveryMs: number;
}

/** The words of an error, or of what was thrown instead. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
