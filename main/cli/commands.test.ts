import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { askHidden, openOutput, runCommand } from './commands';

/** A stream whose first write fails with this error code. */
const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

// An error event without a listener would end the process, and so this test.
it('a closed pipe neither ends the command nor its process, however often it writes', async () => {
  const pipe = failing('EPIPE');
  const isClosed = new Promise((resolve) => pipe.once('close', resolve));
  const output = openOutput(pipe);
  expect(await output.write('first line\n')).toBe(false);
  await isClosed;
  expect(await output.write('second line\n')).toBe(false);
  expect(output.error).toBeNull();
});

it.each([
  ['fleet', ['--help'], 'ENOSPC', 1, 'fleet: the output cannot be written (ENOSPC)\n'],
  ['verify-plays', ['--help'], 'EACCES', 1, 'verify-plays: the output cannot be written (EACCES)\n'],
  ['inspect', ['--help'], 'EPIPE', 0, ''],
])('%s %j with an output that gives %s exits with %i and says %j', async (name, args, code, status, said) => {
  const stderr = new PassThrough({ encoding: 'utf8' });
  expect(await runCommand(name, args, { stdout: failing(code), stderr })).toBe(status);
  expect(stderr.read() ?? '').toBe(said);
});

it('words for the operator that cannot be written do not change the exit status', async () => {
  const stdout = new PassThrough();
  expect(await runCommand('fleet', ['explode'], { stdout, stderr: failing('ENOSPC') })).toBe(2);
});

it.skipIf(!existsSync('/dev/full'))('a file on a full disk is an error', async () => {
  const file = await open('/dev/full', 'w');
  const output = openOutput(Object.assign(new PassThrough(), { fd: file.fd }));
  expect(await output.write('a line\n')).toBe(false);
  expect(output.error).toBe('ENOSPC');
  await file.close();
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
