/** What has to be heard of again and again (rule 25). */
export type Vital = 'picture' | 'records' | 'service';

/**
 * How long each may be silent before it is helped, ms: well beyond what a busy
 * moment takes. The records wait for their disk, which no restart makes faster.
 */
export const SILENCE_MS: Readonly<Record<Vital, number>> = {
  picture: 5_000,
  records: 20_000,
  service: 12_000,
};
/** Something that was just started, or started over, is given longer, ms. */
export const START_MS = 20_000;
/** Main looks every second; when it looks this late it was held up itself (sleep, a stopped process), ms. */
const HELD_UP_MS = 3_000;

interface Sign {
  readonly heardAt: number;
  /** Silence before this moment proves nothing. */
  readonly graceUntil: number;
  /** Times it was helped since it was last heard. */
  readonly helped: number;
  readonly heard: boolean;
}

/** Times on the monotonic clock, ms. */
export interface VitalSigns {
  readonly signs: Partial<Record<Vital, Sign>>;
  readonly lookedAt: number | null;
}

export type VitalEvent =
  /** From now on it is expected to be heard of. */
  | { readonly type: 'started'; readonly vital: Vital }
  | { readonly type: 'heard'; readonly vital: Vital }
  /** Not expected any more, or not for now: a display that is off shows no frames. */
  | { readonly type: 'excused'; readonly vital: Vital }
  /** The machine slept and woke. */
  | { readonly type: 'woke' }
  | { readonly type: 'look' };

/** Help is due; `attempt` counts from 1 and begins again once it was heard. */
export interface Help {
  readonly vital: Vital;
  readonly attempt: number;
}

export const noVitalSigns: VitalSigns = { signs: {}, lookedAt: null };

/** Pure: what was heard of whom, and who needs help. Silence while main itself stood still is nobody's. */
export function observeVitals(
  before: VitalSigns,
  event: VitalEvent,
  now: number,
): { readonly vitals: VitalSigns; readonly help: readonly Help[] } {
  switch (event.type) {
    case 'started': {
      const helped = before.signs[event.vital]?.helped ?? 0;
      return withSign(before, event.vital, {
        heardAt: now,
        graceUntil: now + START_MS,
        helped,
        heard: false,
      });
    }
    case 'heard':
      return withSign(before, event.vital, { heardAt: now, graceUntil: now, helped: 0, heard: true });
    case 'excused': {
      const { [event.vital]: _excused, ...signs } = before.signs;
      return { vitals: { ...before, signs }, help: [] };
    }
    case 'woke':
      return { vitals: excuseAll(before, now), help: [] };
    case 'look':
      return look(before, now);
  }
}

/** Whether everybody who is expected to be was heard of within their time; nobody yet heard of is not well. */
export function allWell({ signs }: VitalSigns, now: number): boolean {
  return entries(signs).every(([vital, { heard, heardAt }]) => heard && now - heardAt < SILENCE_MS[vital]);
}

function look(before: VitalSigns, now: number): { vitals: VitalSigns; help: readonly Help[] } {
  if (before.lookedAt !== null && now - before.lookedAt > HELD_UP_MS)
    return { vitals: { ...excuseAll(before, now), lookedAt: now }, help: [] };
  const help: Help[] = [];
  const signs: Partial<Record<Vital, Sign>> = {};
  for (const [vital, sign] of entries(before.signs)) {
    const isSilent = now >= sign.graceUntil && now - sign.heardAt >= SILENCE_MS[vital];
    signs[vital] = isSilent
      ? // Time for the help to work before the next one.
        { ...sign, helped: sign.helped + 1, graceUntil: now + SILENCE_MS[vital] }
      : sign;
    if (isSilent) help.push({ vital, attempt: sign.helped + 1 });
  }
  return { vitals: { signs, lookedAt: now }, help };
}

/** Everybody gets the time to be heard again, from now. */
function excuseAll(before: VitalSigns, now: number): VitalSigns {
  const signs: Partial<Record<Vital, Sign>> = {};
  for (const [vital, sign] of entries(before.signs))
    signs[vital] = { ...sign, graceUntil: Math.max(sign.graceUntil, now + SILENCE_MS[vital]) };
  return { ...before, signs };
}

function withSign(
  before: VitalSigns,
  vital: Vital,
  sign: Sign,
): { vitals: VitalSigns; help: readonly Help[] } {
  return { vitals: { ...before, signs: { ...before.signs, [vital]: sign } }, help: [] };
}

function entries(signs: VitalSigns['signs']): ReadonlyArray<readonly [Vital, Sign]> {
  return Object.entries(signs) as ReadonlyArray<readonly [Vital, Sign]>;
}
