import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { askHidden, written } from './commands';

/** A stream whose first write fails with this error code. */
const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

// An error event without a listener would end the process, and so this test.
it('a closed pipe neither ends the command nor its process, however often it writes', async () => {
  const pipe = failing('EPIPE');
  const isClosed = new Promise((resolve) => pipe.once('close', resolve));
  expect(await written(pipe, 'first line\n')).toBe(false);
  await isClosed;
  expect(await written(pipe, 'second line\n')).toBe(false);
});

it('an output that cannot be written for another reason is an error', async () => {
  await expect(written(failing('ENOSPC'), 'a line\n')).rejects.toMatchObject({ code: 'ENOSPC' });
});

it.each([
  ['two lines at once', ['482913\n482913\n']],
  ['the second line begun with the first', ['482913\r4829', '13\r']],
  ['one line after the other', ['482913\r', '482913\r']],
])('hidden questions are answered by %s, and nothing is shown', async (_name, typed) => {
  const input = new PassThrough();
  const said: string[] = [];
  const ask = async (question: string) => {
    const answer = askHidden(question, input, (text) => void said.push(text));
    const keys = typed.shift();
    if (keys !== undefined) input.write(keys);
    return await answer;
  };
  expect([await ask('New: '), await ask('Again: ')]).toEqual(['482913', '482913']);
  expect(said).toEqual(['New: ', '\n', 'Again: ', '\n']);
});

it.each(['48\u0003', '\u0004'])('a hidden question is cancelled by %j', async (keys) => {
  const input = new PassThrough();
  const answer = askHidden('New: ', input, () => {});
  input.write(keys);
  expect(await answer).toBeNull();
});
