import { z } from 'zod';

/** Strikes after which a creative is quarantined (rule 11). */
const STRIKES = 2;
/** How long a quarantine lasts, and how long a single strike is remembered, ms. */
export const QUARANTINE_MS = 7 * 86_400_000;
/** Creatives that are remembered at most: the file stays below 200 KB. */
export const MOST_REMEMBERED = 200;
const LONGEST_NAME = 500;

/**
 * What happened while a creative was drawn: nothing was drawn for too long (`hang`), or the
 * kiosk window, its own guest, the graphics process or main ended unexpectedly.
 */
export const HarmCause = z.enum(['hang', 'kiosk-window', 'guest', 'graphics', 'main']);
export type HarmCause = z.infer<typeof HarmCause>;

/** A creative by its bytes. */
export interface DrawnFile {
  /** In hex. Other bytes are another creative, whatever their address. */
  readonly sha256: string;
  /** Its URL or file name, for status and log. */
  readonly name: string;
  /** Address of the guest that draws it; null: the kiosk window draws it. */
  readonly guest: string | null;
  /** MIME type; absent: not known. */
  readonly type?: string;
}

/** A creative that did harm. `lastAt`: its last strike, ms since the epoch, UTC. */
export const Harm = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string().max(LONGEST_NAME),
  cause: HarmCause,
  isGuest: z.boolean(),
  count: z.int().positive(),
  lastAt: z.number(),
});
export type Harm = z.infer<typeof Harm>;

/** By SHA-256, the last one struck at the end. */
export type Harms = ReadonlyMap<string, Harm>;

export const noHarm: Harms = new Map();

/** One strike more against a file at `now` (ms since the epoch). */
export function struckForHarm(
  before: Harms,
  { sha256, name, guest }: DrawnFile,
  cause: HarmCause,
  now: number,
): Harms {
  const harms = new Map(asOf(before, now));
  const count = (harms.get(sha256)?.count ?? 0) + 1;
  harms.delete(sha256);
  const isGuest = guest !== null;
  harms.set(sha256, { sha256, name: name.slice(0, LONGEST_NAME), cause, isGuest, count, lastAt: now });
  return bounded(harms);
}

/** A file was shown from its first frame to its end: its strikes are forgotten. */
export function shownWhole(before: Harms, sha256: string): Harms {
  if (!before.has(sha256)) return before;
  const harms = new Map(before);
  harms.delete(sha256);
  return harms;
}

/** The graphics driver is to blame for its crashes: what the kiosk window drew meanwhile is not. */
export function driverBlamed(before: Harms): Harms {
  return new Map([...before].filter(([, { cause, isGuest }]) => cause !== 'graphics' || isGuest));
}

/** How much longer a file is quarantined, ms, at most 7 days wherever the clock went; 0: it may be shown. */
export function quarantineMs(harms: Harms, sha256: string, now: number): number {
  const harm = harms.get(sha256);
  if (harm === undefined || harm.count < STRIKES) return 0;
  return Math.max(0, Math.min(QUARANTINE_MS, harm.lastAt + QUARANTINE_MS - now));
}

/**
 * Forgets strikes of 7 days ago. A strike stamped later than `now` is moved back to it:
 * a clock that was years ahead must not make a quarantine last for years.
 */
export function asOf(harms: Harms, now: number): Harms {
  const all = [...harms.values()];
  if (all.every(({ lastAt }) => lastAt <= now && now - lastAt < QUARANTINE_MS)) return harms;
  return new Map(
    all
      .filter(({ lastAt }) => now - lastAt < QUARANTINE_MS)
      .map((harm) => [harm.sha256, { ...harm, lastAt: Math.min(harm.lastAt, now) }]),
  );
}

export const harmsAsText = (harms: Harms): string => JSON.stringify([...harms.values()]);

/** What was stored as this text; entries that cannot be read are left out, and a broken text is empty. */
export function readHarms(text: string): Harms {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return noHarm;
  }
  if (!Array.isArray(stored)) return noHarm;
  const read = stored.slice(-MOST_REMEMBERED).flatMap((entry) => {
    const harm = Harm.safeParse(entry);
    return harm.success ? [[harm.data.sha256, harm.data] as const] : [];
  });
  return new Map(read);
}

/** Single strikes go before quarantined files, the oldest first. */
function bounded(harms: Harms): Harms {
  if (harms.size <= MOST_REMEMBERED) return harms;
  const all = [...harms.values()];
  const leaving = all.slice(0, -1).find(({ count }) => count < STRIKES) ?? all[0];
  return new Map([...harms].filter(([sha256]) => sha256 !== leaving?.sha256));
}
