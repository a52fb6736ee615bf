import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { HostileService } from './hostile-service';

/** What an attack may use while it lasts. Everything is undone when the attack is over. */
export interface AttackContext {
  readonly service: HostileService;
  /** Numbers in [0, 1) that are the same in a replay. */
  readonly random: () => number;
  /** One of these, chosen by `random`. */
  pick<Item>(items: readonly Item[]): Item;
  /** A unique text for each attack: the kiosk remembers ads and files by their names. */
  readonly once: string;
  /** Serves these ads in addition to the good ones. */
  serve(ads: readonly DemoAdInput[]): void;
  /** Puts a file on the service; returns its URL. */
  file(name: string, body: Buffer | string, type: string): string;
  every(ms: number, run: () => void): void;
  /** Calls `run` when the attack is over. */
  atEnd(run: () => void | Promise<void>): void;
}

/** One way in which a service, an ad, a page or a network can be hostile. */
export interface Attack {
  /** Name in the report. */
  readonly name: string;
  /** Row of the table of attacks in docs/security.md; null: none. */
  readonly row: number | null;
  /** Duration, s. */
  readonly seconds: number;
  /**
   * Unknown pictures are no violation: hostile pages may blend colours, and native cards have colours of
   * their own.
   */
  readonly oddPictures?: true;
  /**
   * Begins the attack. When it is over, the returned function describes what the attack achieved and must not
   * have; empty: nothing.
   */
  begin(
    field: AttackContext,
  ): (() => readonly string[]) | undefined | Promise<(() => readonly string[]) | undefined>;
}
