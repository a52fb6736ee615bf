import { z } from 'zod';
import { plain } from '../../shared/plain';
import { jsonOf } from '../whole-file';

/** Strikes after which a creative is quarantined (rule 11). */
const STRIKES = 2;
/** How long a quarantine lasts, and how long a single strike is remembered, ms. */
export const QUARANTINE_MS = 7 * 86_400_000;
/** How many creatives are remembered at most, so that the file stays below 200 KB. */
export const MAX_REMEMBERED = 200;
const MAX_NAME_LENGTH = 500;

/**
 * What happened while a creative was drawn: nothing was drawn for too long (`hang`), or the
 * kiosk window, its own guest, the graphics process or main ended unexpectedly.
 */
export const HarmCause = z.enum(['hang', 'kiosk-window', 'guest', 'graphics', 'main']);
export type HarmCause = z.infer<typeof HarmCause>;

/** A creative, identified by its bytes. */
export interface DrawnFile {
  /** In hex. Other bytes make another creative, even at the same URL. */
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
  name: z.string().max(MAX_NAME_LENGTH),
  cause: HarmCause,
  isGuest: plain.yesOrNo,
  count: z.int().positive(),
  lastAt: plain.number,
});
export type Harm = z.infer<typeof Harm>;

/** By SHA-256; the last one struck is the last entry. */
export type Harms = ReadonlyMap<string, Harm>;

export const noHarm: Harms = new Map();

/** Adds a strike to a file at `now` (ms since the epoch), to those that are less than 7 days old. */
export function struckForHarm(
  before: Harms,
  { sha256, name, guest }: DrawnFile,
  cause: HarmCause,
  now: number,
): Harms {
  const harms = new Map(before);
  const count = (withoutOldStrikes(before, now).get(sha256)?.count ?? 0) + 1;
  harms.delete(sha256);
  const isGuest = guest !== null;
  harms.set(sha256, { sha256, name: name.slice(0, MAX_NAME_LENGTH), cause, isGuest, count, lastAt: now });
  return bounded(harms);
}

/** Forgets the strikes of a file, because it was shown from its first frame to its end. */
export function shownWhole(before: Harms, sha256: string): Harms {
  if (!before.has(sha256)) return before;
  const harms = new Map(before);
  harms.delete(sha256);
  return harms;
}

/** Forgets strikes of the kiosk window for crashes of the graphics process, because the driver caused them. */
export function driverBlamed(before: Harms): Harms {
  return new Map([...before].filter(([, { cause, isGuest }]) => cause !== 'graphics' || isGuest));
}

/** How much longer a file is quarantined, ms; 0: it may be shown. At most 7 days, even after a clock change. */
export function quarantineMs(harms: Harms, sha256: string, now: number): number {
  const harm = harms.get(sha256);
  if (harm === undefined || harm.count < STRIKES) return 0;
  return Math.max(0, Math.min(QUARANTINE_MS, harm.lastAt + QUARANTINE_MS - now));
}

/**
 * Forgets strikes that are 7 days old. A strike later than `now` gets the time `now`: a clock that was years
 * ahead must not make a quarantine last for years.
 */
export function withoutOldStrikes(harms: Harms, now: number): Harms {
  const all = [...harms.values()];
  if (all.every(({ lastAt }) => lastAt <= now && now - lastAt < QUARANTINE_MS)) return harms;
  return new Map(
    all
      .filter(({ lastAt }) => now - lastAt < QUARANTINE_MS)
      .map((harm) => [harm.sha256, { ...harm, lastAt: Math.min(harm.lastAt, now) }]),
  );
}

export const harmsAsText = (harms: Harms): string => JSON.stringify([...harms.values()]);

/** Parses a text of `harmsAsText`. Leaves out invalid entries; invalid JSON gives an empty result. */
export function readHarms(text: string): Harms {
  const stored = jsonOf(text);
  if (!Array.isArray(stored)) return noHarm;
  const read = stored.slice(-MAX_REMEMBERED).flatMap((entry) => {
    const harm = Harm.safeParse(entry);
    return harm.success ? [[harm.data.sha256, harm.data] as const] : [];
  });
  return new Map(read);
}

/** Drops one entry if there are too many: the oldest single strike, or else the oldest quarantine. */
function bounded(harms: Harms): Harms {
  if (harms.size <= MAX_REMEMBERED) return harms;
  const all = [...harms.values()];
  const leaving = all.slice(0, -1).find(({ count }) => count < STRIKES) ?? all[0];
  return new Map([...harms].filter(([sha256]) => sha256 !== leaving?.sha256));
}
