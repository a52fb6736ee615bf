import fc from 'fast-check';
import type { SendResult } from '../delivery-policy';
import { accepted, type Life, type OutboxWorld } from './outbox-world';

/** Errors and passing time around an outbox. `step`: which command or send from now on. */
export type Disturbance =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'crash'; readonly step: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'fault'; readonly step: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'restart' }
  | { readonly do: 'reopen' };

const moment = fc.constantFrom('before' as const, 'after' as const);
const step = (max: number) => fc.integer({ min: 1, max });

/** Options for `fc.oneof`. @param passes how much time may pass in one step, ms */
export const anyDisturbance = (passes: readonly number[]) => [
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(...passes) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), step: step(8), moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), step: step(5), moment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
];

/**
 * Applies one step to this process and its books. A step that takes no time runs synchronously and returns
 * null, so that it happens in the middle of running work.
 */
export function bring(disturbance: Disturbance, world: OutboxWorld, life: Life): Promise<void> | null {
  switch (disturbance.do) {
    case 'pass':
      return world.advance(disturbance.ms);
    case 'crash':
      life.dieAt(disturbance.step, disturbance.moment);
      return null;
    case 'fault':
      life.failAt(disturbance.step, disturbance.moment);
      return null;
    case 'restart':
      life.die();
      return world.quiet();
    case 'reopen':
      void life.outbox.reopen();
      return null;
  }
}

/** The servers answer with `results`, one after another, and then accept everything; `acceptAll` skips the rest. */
export function answerInTurn(world: OutboxWorld, results: readonly SendResult[]): { acceptAll(): void } {
  const left = [...results];
  world.answer = async () => {
    await world.time.settle();
    return left.shift() ?? accepted;
  };
  return {
    acceptAll() {
      left.length = 0;
    },
  };
}
