import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { HostileService } from './hostile-service';

/** What an attack may use while it lasts. All of it ends with the attack. */
export interface Field {
  readonly service: HostileService;
  /** Numbers in [0, 1) that a replay repeats. */
  readonly random: () => number;
  /** One of these, by `random`. */
  pick<Item>(items: readonly Item[]): Item;
  /** Text that no earlier attack used: the kiosk remembers ads and files by their names. */
  readonly once: string;
  /** Serves these ads beside the good ones. */
  serve(ads: readonly DemoAdInput[]): void;
  /** Puts a file on the service; resolves to its address. */
  file(name: string, body: Buffer | string, type: string): string;
  every(ms: number, run: () => void): void;
  /** Runs when the attack is over. */
  atEnd(run: () => void | Promise<void>): void;
}

/** One way in which a service, an ad, a page or a network can be hostile. */
export interface Attack {
  /** As the report names it. */
  readonly name: string;
  /** Row of the table of attacks in docs/security.md; null: it is not one of them. */
  readonly row: number | null;
  /** How long it lasts, s. */
  readonly seconds: number;
  /** Hostile pages may blend colours and native cards have their own: unknown pictures are no violation. */
  readonly oddPictures?: true;
  /**
   * Begins it. The result is asked when it is over: what the attack must not have
   * achieved, in words; none when it achieved nothing.
   */
  begin(field: Field): (() => readonly string[]) | undefined | Promise<(() => readonly string[]) | undefined>;
}
