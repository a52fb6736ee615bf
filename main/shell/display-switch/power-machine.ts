import { assertNever } from '../../../shared/assert-never';

/** Ways to switch a display, in the order in which they are tried: the display server first, then the cable. */
export const WAY_NAMES = ['wlopm', 'sway', 'dpms', 'ddc', 'cec'] as const;
export type WayName = (typeof WAY_NAMES)[number];

// Pure: brings the display into the wanted state by the ways that work.

/** An error of a way; `way` null: no way can be used. */
export interface WayError {
  readonly way: WayName | null;
  readonly message: string;
}

type Work =
  /** Nothing is under way. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'probing' }
  | { readonly kind: 'reading' }
  /** `left`: ways to try after this one. `helped`: a way that switched it. `hadNoEffect`: a command had no effect. */
  | {
      readonly kind: 'switching';
      readonly to: boolean;
      readonly way: WayName;
      readonly left: readonly WayName[];
      readonly helped: WayName | null;
      readonly hadNoEffect: boolean;
    }
  /** No way worked; tried again at `until`, on the monotonic clock. */
  | { readonly kind: 'waiting'; readonly to: boolean; readonly until: number };

type Switching = Extract<Work, { kind: 'switching' }>;

export interface PowerState {
  /** The wanted state at the last check; null: the display is left alone. */
  readonly wanted: boolean | null;
  /** The state as last read or, if it cannot be read, as last commanded; null: unknown. */
  readonly isOn: boolean | null;
  /** The ways that switched it off since it was last on; all of them have to switch it on. */
  readonly offBy: readonly WayName[];
  /** The ways that work here, in their order; null: not probed. */
  readonly ways: readonly WayName[] | null;
  /** The way that switched or read it last. */
  readonly using: WayName | null;
  readonly work: Work;
  /** Consecutive rounds in which every way failed. */
  readonly failures: number;
  readonly error: WayError | null;
  /** When it was last read or switched, on the monotonic clock. */
  readonly readAt: number;
}

export type PowerEvent =
  /** A regular check; `wanted` may have changed. `readEveryMs`: of the way in use. */
  | { readonly kind: 'look'; readonly wanted: boolean | null; readonly readEveryMs: number }
  /** Staff or the operator asked for it: a waiting retry runs at once. */
  | { readonly kind: 'asked'; readonly wanted: boolean | null }
  /** `errors`: why the others cannot be used. */
  | { readonly kind: 'probed'; readonly ways: readonly WayName[]; readonly errors: readonly WayError[] }
  | { readonly kind: 'read'; readonly isOn: boolean | null }
  /** A read or a command failed. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The command was accepted; `isOn` as read afterwards. */
  | { readonly kind: 'switched'; readonly isOn: boolean | null };

export type PowerEffect =
  | { readonly kind: 'probe' }
  | { readonly kind: 'read'; readonly way: WayName }
  | { readonly kind: 'switch'; readonly way: WayName; readonly to: boolean };

export interface PowerStep {
  readonly state: PowerState;
  /** Each effect is answered by exactly one event: `probed`, `read`, `failed` or `switched`. */
  readonly effect: PowerEffect | null;
}

/** Longest wait between two rounds of tries, ms. */
export const MAX_WAIT_MS = 5 * 60_000;
const FIRST_WAIT_MS = 5_000;

/** @param offBy the ways that had switched the display off when the last run ended */
export function powerAtStart(offBy: readonly WayName[], wanted: boolean | null): PowerState {
  return {
    ...{ wanted, offBy, ways: null, using: null, failures: 0, error: null, readAt: Number.NEGATIVE_INFINITY },
    isOn: null,
    work: { kind: 'rest' },
  };
}

/**
 * Whether nothing may be reserved (rule 14): the display is off, or is about to be switched off. A display that could
 * not be switched off counts as on, and so does one that is left alone, whose state is unknown here.
 */
export function holdsForPower(state: PowerState): boolean {
  const { isOn, offBy, wanted, failures } = state;
  const isOff = isOn === false || (isOn === null && offBy.length > 0);
  return (isOff && target(state) !== null) || (wanted === false && failures === 0);
}

/** @param now on the monotonic clock, ms */
export function stepPower(state: PowerState, event: PowerEvent, now: number): PowerStep {
  switch (event.kind) {
    case 'look': {
      const next = withWanted(state, event.wanted);
      const { work } = next;
      if (work.kind === 'waiting' && now >= work.until) return probe(next);
      if (work.kind !== 'rest') return { state: next, effect: null };
      return isDone(next) ? readIfDue(next, now, event.readEveryMs) : begin(next);
    }
    case 'asked': {
      const next = withWanted({ ...state, failures: 0 }, event.wanted);
      const to = target(next);
      if (to === null || !isIdle(next)) return { state: next, effect: null };
      // Whoever asks can see the display, so the state stored here may be wrong.
      return probe({ ...next, isOn: next.isOn === to ? null : next.isOn });
    }
    case 'probed': {
      const error = event.ways.length > 0 ? state.error : noWay(event.errors);
      const next: PowerState = { ...state, ways: event.ways, error, work: { kind: 'rest' } };
      const [first] = event.ways;
      if (first === undefined) return fail(next, now);
      // Read the present state first: if it is the wanted one, there is nothing to do.
      return {
        state: { ...next, using: first, work: { kind: 'reading' } },
        effect: { kind: 'read', way: first },
      };
    }
    case 'read':
      return afterReading(state, event.isOn, now);
    case 'switched':
    case 'failed':
      if (state.work.kind === 'switching') return afterSwitching(state, state.work, event, now);
      // Reading failed: the ways are probed again after a wait.
      return fail({ ...state, error: { way: state.using, message: messageOf(event) } }, now);
    default:
      return assertNever(event);
  }
}

const messageOf = (event: PowerEvent) => (event.kind === 'failed' ? event.message : '');
const isIdle = ({ work }: PowerState) => work.kind === 'rest' || work.kind === 'waiting';

/** A display that we switched off is switched on before it is left alone. */
const target = ({ wanted, offBy }: PowerState) => wanted ?? (offBy.length > 0 ? true : null);

function isDone(state: PowerState): boolean {
  const to = target(state);
  return to === null || (state.isOn === to && state.ways !== null);
}

/** A change of the wanted state resets the count of failures and cancels a waiting retry. */
function withWanted(state: PowerState, wanted: boolean | null): PowerState {
  if (wanted === state.wanted) return state;
  const work: Work = state.work.kind === 'waiting' ? { kind: 'rest' } : state.work;
  return { ...state, wanted, work, failures: 0, error: null };
}

const probe = (state: PowerState): PowerStep => ({
  state: { ...state, ways: null, work: { kind: 'probing' } },
  effect: { kind: 'probe' },
});

function readIfDue(state: PowerState, now: number, everyMs: number): PowerStep {
  const { using, wanted, readAt } = state;
  if (using === null || wanted === null || now - readAt < everyMs) return { state, effect: null };
  return { state: { ...state, work: { kind: 'reading' } }, effect: { kind: 'read', way: using } };
}

/** Starts to switch the display, first by the way that worked last. */
function begin(state: PowerState): PowerStep {
  const { ways, using, offBy } = state;
  const to = target(state);
  if (ways === null || to === null) return probe(state);
  const usual = using === null ? ways : [using, ...ways];
  // The ways that switched it off have to switch it on, even if the last probe did not find them.
  const [way, ...left] = [...new Set(to ? [...offBy, ...usual] : usual)];
  return way === undefined ? probe(state) : turn(state, way, { to, left, helped: null, hadNoEffect: false });
}

function turn(
  state: PowerState,
  way: WayName,
  rest: Pick<Switching, 'to' | 'left' | 'helped' | 'hadNoEffect'>,
): PowerStep {
  const offBy = rest.to ? state.offBy : [...new Set([...state.offBy, way])];
  return {
    state: { ...state, offBy, work: { kind: 'switching', way, ...rest } },
    effect: { kind: 'switch', way, to: rest.to },
  };
}

function afterReading(state: PowerState, isOn: boolean | null, now: number): PowerStep {
  const known = isOn ?? state.isOn;
  // One way may read "on" although another way switched the display off.
  const isSure = known !== true || state.offBy.every((way) => way === state.using);
  const next: PowerState = {
    ...state,
    isOn: isSure ? known : state.isOn,
    work: { kind: 'rest' },
    readAt: now,
  };
  const to = target(next);
  if (to !== null && next.isOn !== to) return begin(next);
  return { state: { ...settled(next), offBy: next.isOn ? [] : next.offBy }, effect: null };
}

function afterSwitching(
  state: PowerState,
  work: Switching,
  event: Extract<PowerEvent, { kind: 'switched' | 'failed' }>,
  now: number,
): PowerStep {
  const { to, way, left } = work;
  const isOtherwise = event.kind === 'switched' && event.isOn === !to;
  const helped = event.kind === 'switched' && !isOtherwise ? way : work.helped;
  const hadNoEffect = work.hadNoEffect || isOtherwise;
  const message = event.kind === 'failed' ? event.message : 'the display did not obey';
  const offBy = to ? state.offBy : state.offBy.filter((each) => each !== way);
  const next = helped === way ? state : { ...state, offBy, error: { way, message } };
  const [following, ...rest] = left;
  // To switch on, use every way that switched it off, and others until one has helped. To switch off, one is enough.
  const goesOn = (another: WayName) => helped === null || (to && state.offBy.includes(another));
  if (following !== undefined && goesOn(following))
    return turn(next, following, { to, left: rest, helped, hadNoEffect });
  const isAgainstAnother = to && hadNoEffect && state.offBy.length > 0;
  if (helped === null || isAgainstAnother) {
    const isOn = hadNoEffect ? !to : state.isOn;
    return fail({ ...next, isOn }, now);
  }
  return {
    state: settled({ ...next, isOn: to, offBy: to ? [] : next.offBy, using: helped, readAt: now }),
    effect: null,
  };
}

const settled = (state: PowerState): PowerState => ({
  ...state,
  work: { kind: 'rest' },
  failures: 0,
  error: null,
});

function fail(state: PowerState, now: number): PowerStep {
  const to = target(state);
  const failures = state.failures + 1;
  if (to === null) return { state: { ...state, work: { kind: 'rest' } }, effect: null };
  const until = now + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  return { state: { ...state, ways: null, failures, work: { kind: 'waiting', to, until } }, effect: null };
}

const noWay = (errors: readonly WayError[]): WayError => ({
  way: null,
  message: errors.map(({ way, message }) => `${way}: ${message}`).join('; '),
});
