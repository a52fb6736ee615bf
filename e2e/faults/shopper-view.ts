/** What one captured frame showed in the middle of the display. */
export type Sight = 'red' | 'blue' | 'black' | 'card';

/** A time during which the same thing was shown, ms on one clock. */
export interface Stretch {
  readonly sight: Sight;
  readonly from: number;
  readonly to: number;
}

/** What a shopper saw of a fault. */
export interface Disturbance {
  /** Time from the fault to the end of the last disturbance, ms; 0: there was none. */
  readonly healedMs: number;
  /** Total time of pictures that stayed too long, of black, and of the brand card, ms each. */
  readonly stayedMs: number;
  readonly blackMs: number;
  readonly cardMs: number;
}

/** Adds a captured frame: it makes the last stretch longer, or begins a new one. */
export function addFrame(stretches: readonly Stretch[], sight: Sight, at: number): Stretch[] {
  const last = stretches.at(-1);
  if (last?.sight === sight) return [...stretches.slice(0, -1), { ...last, to: at }];
  return [...stretches, { sight, from: last?.to ?? at, to: at }];
}

const isAd = (sight: Sight) => sight === 'red' || sight === 'blue';

/** Whether it is a regular slot. */
const isRight = (stretch: Stretch, slotMs: number) =>
  isAd(stretch.sight) && stretch.to - stretch.from <= slotMs * 1.5;

/** Whether the latest `slots` slots since `since` were regular. */
export function isSteady(
  stretches: readonly Stretch[],
  since: number,
  slotMs: number,
  slots: number,
): boolean {
  const latest = stretches.slice(-slots);
  return (
    latest.length === slots &&
    (latest[0]?.from ?? 0) >= since &&
    latest.every((stretch) => isRight(stretch, slotMs))
  );
}

/** Everything irregular from `since` on. */
export function disturbance(stretches: readonly Stretch[], since: number, slotMs: number): Disturbance {
  const wrong = stretches.filter((stretch) => stretch.to > since && !isRight(stretch, slotMs));
  const sum = (isWanted: (sight: Sight) => boolean, allowedMs = 0) =>
    wrong
      .filter(({ sight }) => isWanted(sight))
      .reduce((total, { from, to }) => total + (to - from) - allowedMs, 0);
  return {
    healedMs: Math.max(0, (wrong.at(-1)?.to ?? since) - since),
    stayedMs: sum(isAd, slotMs),
    blackMs: sum((sight) => sight === 'black'),
    cardMs: sum((sight) => sight === 'card'),
  };
}

/** The disturbance in words, for a table. */
export function inWords({ stayedMs, blackMs, cardMs }: Disturbance): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const parts = [
    ...(stayedMs > 0 ? [`a picture stays ${seconds(stayedMs)} longer`] : []),
    ...(cardMs > 0 ? [`the brand card for ${seconds(cardMs)}`] : []),
    ...(blackMs > 0 ? [`black for ${seconds(blackMs)}`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
