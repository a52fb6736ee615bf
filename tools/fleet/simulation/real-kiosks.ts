import { readFileSync } from 'node:fs';
import { z } from 'zod';

const RealKiosks = z.array(
  z.object({
    publicKey: z.string(),
    plays: z.array(z.object({ flightId: z.string().nullable(), outcome: z.string() })),
  }),
);

/** A kiosk of `fleet --real`, which has shipped what it played. */
export interface RealKiosk {
  /** `ed25519:…` */
  readonly publicKey: string;
  /** Plays that count, by flight. */
  readonly books: ReadonlyMap<string, number>;
}

/** Reads the file that `e2e/real-fleet` has written; no file: no kiosks. */
export function readRealKiosks(file: string | null): RealKiosk[] {
  if (file === null) return [];
  return RealKiosks.parse(JSON.parse(readFileSync(file, 'utf8'))).map(({ publicKey, plays }) => {
    const books = new Map<string, number>();
    for (const { flightId, outcome } of plays)
      if (outcome !== 'given-back') books.set(String(flightId), (books.get(String(flightId)) ?? 0) + 1);
    return { publicKey, books };
  });
}
