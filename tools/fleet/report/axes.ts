export interface Axis {
  /** The quantity, with its unit. */
  readonly name: string;
  /** Position of a value on the axis: 0 at its beginning, 1 at its end. */
  readonly place: (value: number) => number;
  /** The labels along the axis. */
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

const HOUR_MS = 3_600_000;
const STEPS = [1, 2, 5, 10];
/** Hours between two ticks. */
const HOUR_STEPS = [1, 2, 3, 6, 12, 24, 48, 120, 240, 480];
const MAX_TICKS = 5;

/** A linear axis for counts, from zero to a round number not below the largest value. Ticks are whole numbers. */
export function fromZero(name: string, values: readonly number[]): Axis {
  const most = Math.max(MAX_TICKS, ...values);
  const power = 10 ** Math.floor(Math.log10(most / MAX_TICKS));
  const step = power * (STEPS.find((each) => each * power * MAX_TICKS >= most) ?? 10);
  const count = Math.ceil(most / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return {
    name,
    place: (value) => value / (count * step),
    ticks: ticks.map((value) => ({ value, text: value.toLocaleString('en') })),
  };
}

/** A logarithmic axis from one power of ten to another. Values below 1 are placed at 1. */
export function powersOfTen(
  name: string,
  values: readonly number[],
  text: (value: number) => string = (value) => value.toLocaleString('en'),
): Axis {
  const powerOf = (value: number) => Math.log10(Math.max(1, value));
  const low = Math.floor(powerOf(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(powerOf(Math.max(...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return {
    name,
    place: (value) => (powerOf(value) - low) / (high - low),
    ticks: ticks.map((value) => ({ value, text: text(value) })),
  };
}

/** An axis of times (ms since the epoch), from the first value to the last. */
export function hours(name: string, values: readonly number[]): Axis {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const between = (HOUR_STEPS.find((each) => each * HOUR_MS * MAX_TICKS >= high - low) ?? 960) * HOUR_MS;
  const first = Math.ceil(low / between) * between;
  const count = Math.max(0, Math.floor((high - first) / between) + 1);
  return {
    name,
    place: (value) => (value - low) / Math.max(1, high - low),
    ticks: Array.from({ length: count }, (_, index) => {
      const value = first + index * between;
      // Such as `11-21 18:00`.
      return { value, text: new Date(value).toISOString().slice(5, 16).replace('T', ' ') };
    }),
  };
}
