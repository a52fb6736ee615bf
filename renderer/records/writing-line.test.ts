import { describe, expect, it } from 'vitest';
import { createWritingLine } from './writing-line';

/** Work that begins when its turn comes and ends when it is told. */
function work(name: string, notes: string[]) {
  let end = (_fault?: Error) => {};
  const run = () =>
    new Promise<string>((resolve, reject) => {
      notes.push(name);
      end = (fault) => (fault ? reject(fault) : resolve(name));
    });
  return { run, end: (fault?: Error) => end(fault) };
}
const turnsTaken = () => new Promise((resolve) => setTimeout(resolve));

describe('the line of commands that store', () => {
  it('has one of them at work, in the order they came', async () => {
    const notes: string[] = [];
    const inLine = createWritingLine();
    const [first, second] = [work('first', notes), work('second', notes)];
    const answers = [inLine('storeBeacons', first.run), inLine('settlePlay', second.run)];
    await turnsTaken();
    expect(notes).toEqual(['first']);
    first.end();
    await turnsTaken();
    expect(notes).toEqual(['first', 'second']);
    second.end();
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  it('lets a reservation past all that wait', async () => {
    const notes: string[] = [];
    const inLine = createWritingLine();
    const names = ['storing', 'waiting', 'waiting too'];
    const works = names.map((name) => work(name, notes));
    for (const { run } of works) void inLine('storeAds', run);
    await turnsTaken();
    void inLine('reservePlay', work('reservation', notes).run);
    works[0]?.end();
    await turnsTaken();
    expect(notes).toEqual(['storing', 'reservation', 'waiting']);
  });

  it('goes on behind one that failed, and tells whoever asked for it', async () => {
    const notes: string[] = [];
    const inLine = createWritingLine();
    const [failing, next] = [work('failing', notes), work('next', notes)];
    const failed = inLine('settleBeacons', failing.run);
    void inLine('settleBeacons', next.run);
    await turnsTaken();
    failing.end(new Error('the disk is full'));
    await expect(failed).rejects.toThrow('the disk is full');
    expect(notes).toEqual(['failing', 'next']);
  });
});
