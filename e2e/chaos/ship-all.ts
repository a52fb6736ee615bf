import { until as untilHolds } from '../until';
import type { ChaosKiosk } from './chaos-kiosk';
import type { KioskPlay } from './judgement';

/** Long, because the machine may be busy and a kiosk waits up to a minute after an error, ms. */
const START_WITHIN_MS = 180_000;
/** A row is added to a segment ten minutes after its play at the latest, ms. */
const SHIPPED_WITHIN_MS = 12 * 60_000;

/**
 * Restarts the kiosks with their store closed, waits until each has shipped everything, and stops it.
 * Resolves with their books, by fingerprint.
 */
export async function shipAll(
  kiosks: readonly ChaosKiosk[],
): Promise<ReadonlyMap<string, readonly KioskPlay[]>> {
  for (const kiosk of kiosks) {
    await until('every kiosk is up', kiosks, kiosk.isUp);
    const code = await kiosk.terminate();
    if (code !== 0)
      throw new Error(`a kiosk exited with code ${code} on SIGTERM, expected 0:\n${kiosk.output()}`);
    kiosk.start(false);
  }
  const books = new Map<string, readonly KioskPlay[]>();
  for (const kiosk of kiosks) {
    await until('all is shipped', kiosks, kiosk.isShipped, SHIPPED_WITHIN_MS);
    books.set(kiosk.kiosk, await kiosk.plays());
  }
  for (const kiosk of kiosks) await kiosk.terminate();
  return books;
}

/** Waits until `holds` resolves to true; a rejection counts as false. */
export const until = (
  what: string,
  kiosks: readonly ChaosKiosk[],
  holds: () => Promise<boolean>,
  withinMs = START_WITHIN_MS,
): Promise<void> =>
  untilHolds(holds, withinMs, () => `${what}\n${kiosks.map((kiosk) => kiosk.output()).join('\n')}`);
