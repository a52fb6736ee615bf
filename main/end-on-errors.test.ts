import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeError } from './describe-error';
import { createErrorEnd } from './end-on-errors';

class Exited extends Error {}

function world() {
  let exits = 0;
  const end = createErrorEnd(() => {
    exits += 1;
    throw new Exited();
  });
  const run = (thrown: unknown) => {
    expect(() => end.end(thrown)).toThrow(Exited);
  };
  return { ...end, run, exits: () => exits };
}

describe('the end for an unexpected error', () => {
  it('runs all steps in order, with the error, and exits', () => {
    const { beforeExit, run, exits } = world();
    const told: unknown[] = [];
    beforeExit((error) => told.push(['first', error]));
    beforeExit((error) => told.push(['second', error]));
    const error = new Error('unforeseen');
    run(error);
    expect(told).toEqual([
      ['first', error],
      ['second', error],
    ]);
    expect(exits()).toBe(1);
  });

  it('runs the other steps after one that fails, also one that throws something other than an error', () => {
    const { beforeExit, run } = world();
    const told: string[] = [];
    beforeExit(() => {
      throw new Error('in a last word');
    });
    beforeExit(() => {
      throw null;
    });
    beforeExit(() => told.push('reached'));
    run(new Error('unforeseen'));
    expect(told).toEqual(['reached']);
  });

  it('exits at once for another error during its steps', () => {
    const { beforeExit, run, end, exits } = world();
    const told: string[] = [];
    beforeExit(() => end(new Error('second')));
    beforeExit(() => told.push('reached'));
    run(new Error('first'));
    // The inner exit ends the process; here, where it cannot, it is an error of that step.
    expect(exits()).toBe(2);
    expect(told).toEqual(['reached']);
    run(new Error('third'));
    expect(told).toEqual(['reached']);
  });

  it('makes a bounded description of everything that can be thrown', () => {
    const nasty = [
      new Proxy(
        {},
        {
          get() {
            throw new Error('trap');
          },
          getPrototypeOf() {
            throw new Error('trap');
          },
        },
      ),
      Object.defineProperty(new Error('x'), 'stack', {
        get() {
          throw new Error('getter');
        },
      }),
      Object.assign(new Error('x'), { stack: { toString: null } }),
      new Error('x'.repeat(1_000_000)),
      Symbol('s'),
      Object.create(null),
    ];
    const anything = fc.oneof(fc.anything({ withNullPrototype: true }), fc.constantFrom(...nasty));
    fc.assert(
      fc.property(anything, (thrown) => {
        const { beforeExit, run } = world();
        let words: string | null = null;
        beforeExit((error) => {
          words = describeError(error);
        });
        run(thrown);
        expect(typeof words).toBe('string');
        expect((words as unknown as string).length).toBeLessThanOrEqual(8_000);
      }),
    );
  });
});
