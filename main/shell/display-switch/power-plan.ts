import { isOpen, nextChange, type OpenHours } from '../../settings/open-hours';

// Pure: whether the display should be on, and until when.

/** A switch by staff or the operator, until the hours change next. */
export interface Override {
  readonly on: boolean;
  /** ms since the epoch; null: until it is taken back. */
  readonly until: number | null;
  /** What the hours said when it was chosen; null: there were none. */
  readonly hoursSaid: boolean | null;
}

export interface Plan {
  /** `display.power`; null: the display is left alone. */
  readonly hours: OpenHours | null;
  readonly override: Override | null;
}

export interface Wanted {
  /** Null: whatever it is. */
  readonly on: boolean | null;
  readonly by: 'hours' | 'switch' | null;
}

/** @param at ms since the epoch */
export function wantedAt({ hours, override }: Plan, at: number): Wanted {
  if (override && isInForce(override, hours, at)) return { on: override.on, by: 'switch' };
  return hours === null ? { on: null, by: null } : { on: isOpen(hours, at), by: 'hours' };
}

/** The switch that is chosen at `at`. */
export const overrideOf = (on: boolean, hours: OpenHours | null, at: number): Override => ({
  on,
  until: hours && nextChange(hours, at),
  hoursSaid: hours && isOpen(hours, at),
});

/** A clock that jumps into other hours ends it, as does a change of the settings. */
export function isInForce(override: Override, hours: OpenHours | null, at: number): boolean {
  const { until, hoursSaid } = override;
  return (until === null || at < until) && hoursSaid === (hours && isOpen(hours, at));
}
