import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock';
import { type Context, EMPTY_CONTEXT } from '../decisions/audience';
import type { Schedule } from '../schedule';
import type { Signal } from './signal-bodies';
import { SIGNAL_KINDS, type SignalKind } from './signal-kinds';

export type Signals = ReturnType<typeof createSignals>;

interface HeldSignal {
  readonly signal: Signal;
  readonly receivedAt: number;
  /** The first moment at which it no longer counts. */
  readonly expiresAt: number;
}

/**
 * The latest signal of each kind, in memory only, until it expires.
 *
 * @param parts.clock monotonic, so that setting the wall clock neither ends nor prolongs a signal
 */
export function createSignals(parts: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly schedule: Schedule;
}) {
  const { clock, schedule } = parts;
  const held = new Map<SignalKind, HeldSignal>();
  let changed = (_context: Context): void => {};
  let told = EMPTY_CONTEXT;
  let toldSomebodyThere = true;
  let cancelTimer = () => {};

  function live(kind: SignalKind, now: number): HeldSignal | null {
    const entry = held.get(kind);
    return entry !== undefined && now < entry.expiresAt ? entry : null;
  }

  /** What is known at this moment: the latest unexpired signals, whether or not a timer has run. */
  function current(): Context {
    const now = clock.monotonic();
    let context = EMPTY_CONTEXT;
    for (const kind of SIGNAL_KINDS) {
      const entry = live(kind, now);
      if (entry !== null) context = { ...context, [kind]: entry.signal.value };
    }
    return context;
  }

  /**
   * Whether a shopper may be there: false only while a sensor reports that nobody is (rule 19), and true again once
   * that signal has expired.
   */
  function somebodyThere(): boolean {
    const entry = live('shopper', clock.monotonic());
    return entry === null || entry.signal.value !== null;
  }

  function tellIfChanged(): void {
    const context = current();
    const isSomebodyThere = somebodyThere();
    if (isSomebodyThere === toldSomebodyThere && isDeepStrictEqual(context, told)) return;
    told = context;
    toldSomebodyThere = isSomebodyThere;
    changed(context);
  }

  /** Drops what has expired, tells of a change, and comes back at the next expiry. */
  function update(): void {
    const now = clock.monotonic();
    for (const [kind, entry] of held) {
      if (now >= entry.expiresAt) held.delete(kind);
    }
    cancelTimer();
    const next = Math.min(...[...held.values()].map((entry) => entry.expiresAt));
    // Timers may fire a little early; then this waits again.
    cancelTimer = held.size === 0 ? () => {} : schedule(Math.ceil(next - now), update);
    tellIfChanged();
  }

  return {
    /** Takes the place of the earlier signal of its kind. */
    set(signal: Signal): void {
      // Reports expired signals first, so that the listener is also called when the same value comes again.
      update();
      const now = clock.monotonic();
      held.set(signal.kind, { signal, receivedAt: now, expiresAt: now + signal.ttlMs });
      update();
    },
    clear(kind: SignalKind): void {
      held.delete(kind);
      update();
    },
    current,
    somebodyThere,
    /**
     * Calls `listener` whenever the known signals, or `somebodyThere`, have changed: a signal came, was cleared or
     * expired. A signal with the same value as before only renews its time to live.
     */
    onChange(listener: (context: Context) => void): void {
      changed = listener;
    },
    /** Ages (ms) and counts of people, cart entries or weather types for the status; never what the signals say. */
    ages() {
      const now = clock.monotonic();
      const age = (kind: SignalKind) => {
        const entry = live(kind, now);
        if (entry === null) return null;
        const { signal, receivedAt, expiresAt } = entry;
        return { ageMs: now - receivedAt, remainingMs: expiresAt - now, count: countOf(signal) };
      };
      return { shopper: age('shopper'), cart: age('cart'), weather: age('weather') };
    },
  };
}

function countOf(signal: Signal): number {
  switch (signal.kind) {
    case 'shopper':
      return signal.value?.groupSize ?? 0;
    case 'cart':
      return signal.value.skus.length + signal.value.items.length;
    case 'weather':
      return signal.value.types.length;
  }
}
