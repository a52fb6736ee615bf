import { expect, test } from 'vitest';
import { createLate } from './late';

interface Lines {
  info(event: string, details?: object): void;
  warn(event: string): void;
}

test('calls from before it was there are made first, in their order, and later ones at once', () => {
  const made: unknown[] = [];
  const late = createLate<Lines>(['info', 'warn']);
  late.calls.warn('one');
  late.calls.info('two', { of: 2 });
  expect(made).toEqual([]);
  late.use({
    info: (...given) => made.push(['info', ...given]),
    warn: (...given) => made.push(['warn', ...given]),
  });
  late.calls.info('three');
  expect(made).toEqual([
    ['warn', 'one'],
    ['info', 'two', { of: 2 }],
    ['info', 'three'],
  ]);
});

test('what takes a call from before is told when it was made', () => {
  const made: unknown[] = [];
  let time = 1_000;
  const late = createLate<Lines>(['info', 'warn'], () => time);
  const lines = (at: number | null): Lines => ({
    info: (event) => made.push([at, event]),
    warn: (event) => made.push([at, event]),
  });
  late.calls.info('one');
  time = 1_250;
  late.calls.warn('two');
  time = 1_700;
  late.use(lines(null), lines);
  late.calls.info('three');
  expect(made).toEqual([
    [1_000, 'one'],
    [1_250, 'two'],
    [null, 'three'],
  ]);
});

test('one that fails is told to whoever brings it, and does not hold up the later ones', () => {
  const made: string[] = [];
  const late = createLate<Lines>(['info', 'warn']);
  late.calls.warn('one');
  expect(() =>
    late.use({
      info: (event) => void made.push(event),
      warn() {
        throw new Error('no disk');
      },
    }),
  ).toThrow('no disk');
  late.calls.info('two');
  expect(made).toEqual(['two']);
});

test('what is called while the calls so far are made comes behind them', () => {
  const made: string[] = [];
  const late = createLate<Lines>(['info', 'warn']);
  late.calls.info('one');
  late.calls.info('two');
  late.use({
    info(event) {
      made.push(event);
      if (event === 'one') late.calls.warn('and then');
    },
    warn: (event) => void made.push(event),
  });
  expect(made).toEqual(['one', 'two', 'and then']);
});

test('what must not wait long hurries whoever brings it, also when it came before that was said', () => {
  const hurried: string[] = [];
  const late = createLate<Lines>(['info', 'warn']);
  late.calls.info('one');
  late.whenCalled(['warn'], () => hurried.push('after'));
  expect(hurried).toEqual([]);
  late.calls.info('two');
  late.calls.warn('three');
  expect(hurried).toEqual(['after']);
  late.use({ info: () => {}, warn: () => {} });
  late.calls.warn('four');
  expect(hurried).toEqual(['after']);

  const other = createLate<Lines>(['info', 'warn']);
  other.calls.warn('one');
  other.whenCalled(['warn'], () => hurried.push('before'));
  expect(hurried).toEqual(['after', 'before']);
});
