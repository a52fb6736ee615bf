import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { ActionName, AdminCommand, AdminInput, AdminOutput } from '../../shared/admin';
import type { AdminCalls, Reply } from './admin-calls';
import type { OverlayEvent, OverlayModel, PageName } from './overlay-model';
import type { Strings } from './strings';

export interface Saying {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  readonly detail: string | null;
  /** The program's own words, in English. */
  readonly technical?: string;
}

export interface OverlayTools {
  readonly calls: AdminCalls;
  readonly store: StoreApi<OverlayModel>;
  readonly tell: (event: OverlayEvent) => void;
  readonly strings: Strings;
  /** False: everything is shown and nothing may be done. */
  readonly mayAct: boolean;
  /** Begins an action: asks what has to be asked, then does it and says what came of it. */
  readonly begin: (action: ActionName) => void;
  readonly say: (saying: Saying) => void;
  /** Monotonic ms. */
  readonly monotonic: () => number;
}

const Context = createContext<OverlayTools | null>(null);
export const OverlayTools = Context.Provider;

export function useTools(): OverlayTools {
  const tools = useContext(Context);
  if (tools === null) throw new Error('a part of the overlay is outside of it');
  return tools;
}

export function useModel<T>(pick: (model: OverlayModel) => T): T {
  return useStore(useTools().store, pick);
}

export function useGo(): (page: PageName) => void {
  const { tell } = useTools();
  return useCallback((page) => tell({ kind: 'go', page }), [tell]);
}

export interface Answer<C extends AdminCommand> {
  /** The latest good answer, perhaps to an earlier question: `fresh` says so. */
  readonly output: AdminOutput<C> | null;
  readonly fresh: boolean;
  readonly refusal: Extract<Reply<C>, { ok: false }> | null;
  readonly again: () => void;
}

/**
 * Asks when the question is new and then every `everyMs`, one at a time; what was
 * known stays until the next good answer. Nothing waits for it.
 */
export function useAnswer<C extends AdminCommand>(
  command: C,
  input: AdminInput<C>,
  everyMs: number | null,
): Answer<C> {
  const { calls } = useTools();
  const question = JSON.stringify(input);
  const [known, setKnown] = useState<{ question: string; output: AdminOutput<C> | null }>({
    question: '',
    output: null,
  });
  const [refusal, setRefusal] = useState<Answer<C>['refusal']>(null);
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` asks again.
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const reply = await calls.ask(command, JSON.parse(question));
      if (over) return;
      if (reply.ok) setKnown({ question, output: reply.output });
      setRefusal(reply.ok ? null : reply);
      if (everyMs !== null) timer = setTimeout(() => void ask(), everyMs);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [calls, command, question, everyMs, asked]);
  return {
    output: known.output,
    fresh: known.question === question,
    refusal,
    again: useCallback(() => setAsked((count) => count + 1), []),
  };
}

/** The latest of a value that changes with every keystroke, once it has rested for `ms`. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** Draws anew every `ms`; returns the monotonic time. */
export function useTick(ms: number): number {
  const { monotonic } = useTools();
  const [now, setNow] = useState(monotonic);
  useEffect(() => {
    const timer = setInterval(() => setNow(monotonic()), ms);
    return () => clearInterval(timer);
  }, [monotonic, ms]);
  return now;
}

/** Puts the focus on an element when it appears, and back where it was when it goes. */
export function useFocusOnEntry<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return ref;
}
