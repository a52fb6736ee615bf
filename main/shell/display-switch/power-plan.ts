import { z } from 'zod';
import { isOpen, nextChange, type OpenHours } from '../../settings/open-hours';

// Pure: whether the display should be on, and until when.

/** A manual switch by staff or the operator, in force until the hours change next. */
export const Override = z.object({
  on: z.boolean(),
  /** ms since the epoch; null: until it is taken back. */
  until: z.number().nullable(),
  /** Whether the hours wanted the display on when the switch was made; null: there were no hours. */
  hoursSaid: z.boolean().nullable(),
});
export type Override = Readonly<z.infer<typeof Override>>;

export interface Plan {
  /** `display.power`; null: the display is left alone. */
  readonly hours: OpenHours | null;
  readonly override: Override | null;
}

export interface Wanted {
  /** Null: the display is left alone. */
  readonly on: boolean | null;
  readonly by: 'hours' | 'switch' | null;
}

/** @param at ms since the epoch */
export function wantedAt({ hours, override }: Plan, at: number): Wanted {
  if (override && isInForce(override, hours, at)) return { on: override.on, by: 'switch' };
  return hours === null ? { on: null, by: null } : { on: isOpen(hours, at), by: 'hours' };
}

/** The override for a switch that is made at `at`, ms since the epoch. */
export const overrideOf = (on: boolean, hours: OpenHours | null, at: number): Override => ({
  on,
  until: hours && nextChange(hours, at),
  hoursSaid: hours && isOpen(hours, at),
});

/** Whether an override still counts: other hours, after a clock jump or a change of the settings, end it. */
export function isInForce(override: Override, hours: OpenHours | null, at: number): boolean {
  const { until, hoursSaid } = override;
  return (until === null || at < until) && hoursSaid === (hours && isOpen(hours, at));
}
