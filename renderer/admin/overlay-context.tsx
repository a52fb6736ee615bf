import { createContext, use, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import type { AdminCommand, AdminInput, AdminOutput, overlayContract } from '../../shared/admin';
import type { createRpcClient } from '../../shared/rpc';
import type { OverlayModel, Problem } from './overlay-model';
import type { Strings } from './wording';

export interface OverlayTools {
  /** Asks main something; never rejects. */
  readonly call: ReturnType<typeof createRpcClient<typeof overlayContract>>['call'];
  readonly store: StoreApi<OverlayModel>;
  readonly strings: Strings;
  /** False: pages can be read, but no action is allowed. */
  readonly mayAct: boolean;
  readonly showMessage: (text: string) => void;
  /** Says that the action `name` failed, and why. */
  readonly showProblem: (name: string, problem: Problem) => void;
}

const Context = createContext<OverlayTools | null>(null);
export const OverlayTools = Context.Provider;

export function useTools(): OverlayTools {
  const tools = use(Context);
  if (tools === null) throw new Error('useTools was called outside of OverlayTools');
  return tools;
}

export function useModel<T>(pick: (model: OverlayModel) => T): T {
  return useStore(useTools().store, pick);
}

/** The time of the clock for decisions, ms since the epoch; 0 until the first answer. */
export const useNow = (): number => useModel(({ home }) => home?.clock.now ?? 0);

/** The tools, and the words of a page in the chosen language. */
export function useWords<T>(wordsOf: (strings: Strings) => T): OverlayTools & { readonly words: T } {
  const tools = useTools();
  return { ...tools, words: wordsOf(tools.strings) };
}

export interface QueryResult<T> {
  /** The latest good answer. */
  readonly output: T | null;
  /** Whether `output` belongs to the present question, not to an earlier one. */
  readonly fresh: boolean;
  /** Why there is no answer, or (`late`) none yet. */
  readonly refusal: Problem | null;
  readonly again: () => void;
}

/** An answer that takes longer counts as late, ms. */
const LATE_MS = 5_000;

/**
 * Asks main at once and then every `everyMs` (null: once), one call at a time. The
 * last good answer stays until the next one.
 */
export function useQuery<C extends AdminCommand>(
  command: C,
  input: AdminInput<C>,
  everyMs: number | null,
): QueryResult<AdminOutput<C>> {
  const { call } = useTools();
  const question = JSON.stringify(input);
  const [known, setKnown] = useState<{ output: AdminOutput<C>; question: string } | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` asks again.
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      // Not asked again meanwhile: main limits how many calls it answers at once.
      timer = setTimeout(() => setRefusal({ code: 'late', message: '' }), LATE_MS);
      const reply = await call(command, JSON.parse(question));
      if (over) return;
      clearTimeout(timer);
      if (reply.ok) setKnown({ output: reply.output, question });
      setRefusal(reply.ok ? null : reply);
      if (everyMs !== null) timer = setTimeout(() => void ask(), everyMs);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [call, command, question, everyMs, asked]);
  return {
    output: known?.output ?? null,
    fresh: known?.question === question,
    refusal,
    again() {
      // Otherwise impatient presses would add up to more calls at once than main answers.
      setRefusal((now) => (now?.code === 'late' ? null : now));
      setAsked((count) => count + 1);
    },
  };
}

/** The same without the answer to an earlier question, whose numbers would seem to belong to this one. */
export const onlyFresh = <T,>(answer: QueryResult<T>): QueryResult<T> =>
  answer.fresh ? answer : { ...answer, output: null };

/** Calls `onKey` at every key, from the first frame on. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const hear = useEffectEvent(onKey);
  useLayoutEffect(() => {
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

/** Renders again every `ms`; returns the time of `performance.now`. */
export function useTick(ms: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return now;
}

/** Puts the focus on an element when it appears, and returns it to the earlier one when the element is removed. */
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
