import fc from 'fast-check';
import type { SendResult } from '../delivery-policy';
import { accepted, type Life, type OutboxWorld } from './outbox-world';

/** What goes wrong around an outbox, or passes over it. Steps: commands and sends from now. */
export type Trouble =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'crash'; readonly step: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'fault'; readonly step: number; readonly moment: 'before' | 'after' }
  | { readonly do: 'restart' }
  | { readonly do: 'reopen' };

const moment = fc.constantFrom('before' as const, 'after' as const);
const step = (max: number) => fc.integer({ min: 1, max });

/** For `fc.oneof`. `passes`: how much time may pass at once, ms. */
export const anyTrouble = (passes: readonly number[]) => [
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(...passes) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), step: step(8), moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), step: step(5), moment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
];

/** Brings trouble over this process and its books. */
export async function bring(trouble: Trouble, world: OutboxWorld, life: Life): Promise<void> {
  switch (trouble.do) {
    case 'pass':
      await world.advance(trouble.ms);
      break;
    case 'crash':
      life.dieAt(trouble.step, trouble.moment);
      break;
    case 'fault':
      life.failAt(trouble.step, trouble.moment);
      break;
    case 'restart':
      life.die();
      await world.quiet();
      break;
    case 'reopen':
      void life.outbox.reopen();
      break;
  }
}

/** The servers answer with these, one after another, and accept what comes after them, or once told to. */
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
