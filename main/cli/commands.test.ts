import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { written } from './commands';

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
