/** What a look at the middle of the display showed. */
export type Sight = 'red' | 'blue' | 'black' | 'card';

/** One sight without a break; times in ms of one clock. */
export interface Stretch {
  readonly sight: Sight;
  readonly from: number;
  readonly to: number;
}

/** What a shopper saw of a fault, and how long after it all was as before. */
export interface Disturbance {
  /** Ms from the fault to the end of the last thing that was not as it should be; 0: nothing was. */
  readonly healedMs: number;
  /** Ms of each: a picture that stayed too long, black, the brand card. */
  readonly stayedMs: number;
  readonly blackMs: number;
  readonly cardMs: number;
}

/** Adds a look to what was seen. */
export function see(stretches: readonly Stretch[], sight: Sight, at: number): Stretch[] {
  const last = stretches.at(-1);
  if (last?.sight === sight) return [...stretches.slice(0, -1), { ...last, to: at }];
  return [...stretches, { sight, from: last?.to ?? at, to: at }];
}

const isAd = (sight: Sight) => sight === 'red' || sight === 'blue';

/** Whether it is a slot as it should be. */
const isRight = (stretch: Stretch, slotMs: number) =>
  isAd(stretch.sight) && stretch.to - stretch.from <= slotMs * 1.5;

/** Whether the latest slots, `slots` of them, came and went as they should. */
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

/** What was not as it should be from `since` on. */
export function disturbance(stretches: readonly Stretch[], since: number, slotMs: number): Disturbance {
  const wrong = stretches.filter((stretch) => stretch.to > since && !isRight(stretch, slotMs));
  const sum = (found: readonly Stretch[], allowedMs: number) =>
    found.reduce((total, { from, to }) => total + (to - from) - allowedMs, 0);
  return {
    healedMs: Math.max(0, (wrong.at(-1)?.to ?? since) - since),
    stayedMs: sum(
      wrong.filter(({ sight }) => isAd(sight)),
      slotMs,
    ),
    blackMs: sum(
      wrong.filter(({ sight }) => sight === 'black'),
      0,
    ),
    cardMs: sum(
      wrong.filter(({ sight }) => sight === 'card'),
      0,
    ),
  };
}

/** The same in words, for a table. */
export function inWords({ stayedMs, blackMs, cardMs }: Disturbance): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const parts = [
    ...(stayedMs > 0 ? [`a picture stays ${seconds(stayedMs)} longer`] : []),
    ...(cardMs > 0 ? [`the brand card for ${seconds(cardMs)}`] : []),
    ...(blackMs > 0 ? [`black for ${seconds(blackMs)}`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
