import { expect, it } from 'vitest';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { exportLines } from '../records/exported-plays';
import { PLAYED_AT, provenPlay } from '../records/testing/proven-plays';
import { playsStream } from './plays-stream';

const plays = Array.from({ length: 2_500 }, (_, index) =>
  provenPlay(`p${String(index).padStart(4, '0')}`, { at: PLAYED_AT + index }),
);

/** @param moves what each page says of moves of plays, one after the other; null: plays are moved just then */
function stream(moves: ReadonlyArray<string | null> = []) {
  const asked: Array<RecordsInput<'provePlays'>> = [];
  const read = playsStream({
    records: {
      async run<C extends RecordsCommand>(_command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> {
        const order = input as RecordsInput<'provePlays'>;
        asked.push(order);
        const found = plays.filter(
          ({ play }) =>
            play.at >= order.from && play.at < order.to && (!order.after || play.at > order.after.at),
        );
        const page = found.slice(0, order.limit);
        const last = page.at(-1)?.play;
        const next = last && found.length > page.length ? { at: last.at, id: last.id } : null;
        return {
          plays: page,
          next,
          moves: asked.length > moves.length ? '' : moves[asked.length - 1],
        } as RecordsOutput<C>;
      },
    },
    clock: { now: () => PLAYED_AT + 2_400, monotonic: () => 0 },
    rest: async () => {},
  });
  return { read, asked };
}

async function all(pieces: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

it('yields the content of an export of the same period, in pieces', async () => {
  const { read } = stream();
  const pieces = await all(read({ from: PLAYED_AT + 100, to: PLAYED_AT + 2_300 }));
  expect(pieces.length).toBe(9);
  expect(pieces.join('')).toBe(exportLines('ndjson', plays.slice(100, 2_300)));
});

it('yields all plays until now if no period is given', async () => {
  const { read } = stream();
  expect((await all(read({ from: null, to: null }))).join('')).toBe(
    exportLines('ndjson', plays.slice(0, 2_400)),
  );
});

it('reads no more pages than its caller consumes', async () => {
  const { read, asked } = stream();
  for await (const _piece of read({ from: null, to: null })) break;
  expect(asked).toHaveLength(1);
});

it.each([1, 2])('breaks off when plays were moved with the clock after page %i', async (pages) => {
  const { read, asked } = stream([...Array(pages).fill(''), 'move']);
  const pieces: string[] = [];
  const reading = async () => {
    for await (const piece of read({ from: null, to: null })) pieces.push(piece);
  };
  await expect(reading()).rejects.toThrow('plays are moved with the clock');
  expect([pieces.length, asked.length]).toEqual([pages, pages + 1]);
});

it('does not begin while plays are moved, even where one page holds them all', async () => {
  const { read } = stream([null]);
  const period = { from: PLAYED_AT, to: PLAYED_AT + 10 };
  await expect(all(read(period))).rejects.toThrow('plays are moved with the clock');
  expect(await all(read(period))).toHaveLength(1);
});
