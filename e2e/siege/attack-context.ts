import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { goodAds } from './good-ads';
import type { HostileService } from './hostile-service';

export type AttackContext = ReturnType<typeof openField>['field'];

/**
 * What an attack may use while it lasts. Everything is undone when the attack is over.
 *
 * @param random numbers in [0, 1) that are the same in a replay
 * @param once a unique text for each attack: the kiosk remembers ads and files by their names
 */
export function openField(
  service: HostileService,
  good: ReturnType<typeof goodAds>,
  random: () => number,
  once: string,
) {
  const endings: Array<() => void | Promise<void>> = [];
  const judges: Array<() => readonly string[]> = [];
  const field = {
    service,
    random,
    once,
    /** One of these, chosen by `random`. */
    pick<Item>(items: readonly Item[]): Item {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    /** Serves these ads in addition to the good ones. */
    serve: (ads: readonly DemoAdInput[]): void => good.serve(ads),
    /** Puts a file on the service; returns its URL. */
    file(name: string, body: Buffer | string, type: string): string {
      service.demo.setMedia(name, Buffer.from(body), type);
      endings.push(() => service.demo.removeMedia(name));
      return `${service.origin}/media/${encodeURIComponent(name)}`;
    },
    every(ms: number, run: () => void): void {
      const timer = setInterval(run, ms);
      endings.push(() => clearInterval(timer));
    },
    /** When the attack is over, `judge` describes what it achieved and must not have; empty: nothing. */
    judge: (judge: () => readonly string[]): void => void judges.push(judge),
    /** Calls `run` when the attack is over. */
    atEnd: (run: () => void | Promise<void>): void => void endings.push(run),
  };
  return {
    field,
    /** What the attack achieved and must not have. */
    achieved: (): string[] => judges.flatMap((judge) => judge()),
    async end(): Promise<void> {
      for (const end of endings) await end();
    },
  };
}
