import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Context } from '../decisions/audience';
import type { Schedule } from '../schedule';
import { SIGNAL_KINDS, type Signal, type SignalKind } from './signal-bodies';

/** How old a signal is and how long it still counts, in ms; `count` is people, cart entries or weather types. */
export interface SignalAge {
  readonly ageMs: number;
  readonly remainingMs: number;
  readonly count: number;
}

export type SignalAges = Readonly<Record<SignalKind, SignalAge | null>>;

export type Signals = ReturnType<typeof createSignals>;

export interface SignalsParts {
  /** `monotonic()` measures the times to live, so that setting the wall clock neither ends nor prolongs them. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly schedule: Schedule;
  readonly log: Log;
}

interface HeldSignal {
  readonly signal: Signal;
  readonly receivedAt: number;
  /** The first moment at which it no longer counts. */
  readonly expiresAt: number;
}

/** The latest signal of each kind, in memory only, until it expires. */
export function createSignals({ clock, schedule, log }: SignalsParts) {
  const held = new Map<SignalKind, HeldSignal>();
  const listeners = new Set<(context: Context) => void>();
  let told: Context = { shopper: null, cart: null, weather: null };
  let toldSomebodyThere = true;
  let cancelTimer: (() => void) | null = null;

  function live(kind: SignalKind, now: number): HeldSignal | null {
    const entry = held.get(kind);
    return entry !== undefined && now < entry.expiresAt ? entry : null;
  }

  /** What is known at this moment: the latest unexpired signals, whether or not a timer has run. */
  function current(): Context {
    const now = clock.monotonic();
    let context: Context = { shopper: null, cart: null, weather: null };
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
    for (const listener of [...listeners]) {
      try {
        listener(context);
      } catch (error) {
        // One listener's bug must neither silence the others nor reject the sensor's signal.
        log.error('a listener to signals failed', { error: String(error) });
      }
    }
  }

  function dropExpired(): void {
    const now = clock.monotonic();
    for (const [kind, entry] of held) {
      if (now >= entry.expiresAt) held.delete(kind);
    }
    tellIfChanged();
  }

  function watchNextExpiry(): void {
    cancelTimer?.();
    cancelTimer = null;
    if (held.size === 0) return;
    const next = Math.min(...[...held.values()].map((entry) => entry.expiresAt));
    // Timers may fire a little early; then this waits again, for at least 1 ms.
    const wait = Math.max(1, Math.ceil(next - clock.monotonic()));
    cancelTimer = schedule(wait, () => {
      cancelTimer = null;
      dropExpired();
      watchNextExpiry();
    });
  }

  return {
    /** Takes the place of the earlier signal of its kind. */
    set(signal: Signal): void {
      // Reports expired signals first, so that listeners are also called when the same value comes again.
      dropExpired();
      const now = clock.monotonic();
      held.set(signal.kind, { signal, receivedAt: now, expiresAt: now + signal.ttlMs });
      tellIfChanged();
      watchNextExpiry();
    },
    clear(kind: SignalKind): void {
      held.delete(kind);
      tellIfChanged();
      watchNextExpiry();
    },
    current,
    somebodyThere,
    /**
     * Calls `listener` whenever the known signals, or `somebodyThere`, have changed: a signal came, was cleared or
     * expired. A signal with the same value as before only renews its time to live. Returns a function that removes the
     * listener.
     */
    onChange(listener: (context: Context) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Ages and counts for the status; never what the signals say. */
    ages(): SignalAges {
      const now = clock.monotonic();
      const age = (kind: SignalKind): SignalAge | null => {
        const entry = live(kind, now);
        if (entry === null) return null;
        return {
          ageMs: now - entry.receivedAt,
          remainingMs: entry.expiresAt - now,
          count: countOf(entry.signal),
        };
      };
      return { shopper: age('shopper'), cart: age('cart'), weather: age('weather') };
    },
    /** Forgets everything and stops the timer, without calling listeners. */
    dispose(): void {
      cancelTimer?.();
      cancelTimer = null;
      held.clear();
      listeners.clear();
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
