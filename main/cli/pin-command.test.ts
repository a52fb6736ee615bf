import { describe, expect, it } from 'vitest';
import { isPin, readPinHash } from '../admin/pin-hash';
import { runPin } from './pin-command';

const hash = async (pin: string) => `scrypt$of$${pin}`;
const piped = (input: string) => runPin([], { ask: null, readInput: async () => input, hash });
const typed = (...answers: Array<string | null>) =>
  runPin([], { ask: async () => answers.shift() ?? null, readInput: async () => '', hash });

describe('pin', () => {
  it('prints the hash that the settings expect', async () => {
    const { exitCode, stdout } = await runPin([], { ask: null, readInput: async () => '7382\n' });
    const known = readPinHash(stdout.trimEnd());
    expect(exitCode).toBe(0);
    expect(known && (await isPin('7382', known))).toBe(true);
  });

  it('asks twice on a terminal', async () => {
    expect(await typed('7382', '7382')).toEqual({ exitCode: 0, stdout: 'scrypt$of$7382\n', stderr: '' });
    expect(await typed('7382', '7383')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await typed('7382', null)).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await typed(null)).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it.each(['7382', '7382\n', '7382\r\n'])('takes the one line on standard input: %j', async (input) => {
    expect(await piped(input)).toMatchObject({ exitCode: 0, stdout: 'scrypt$of$7382\n' });
  });

  it.each(['', '\n', '1234', '2024', '738', 'secret', '7382\n7382\n'])('refuses %j', async (input) => {
    const { exitCode, stdout, stderr } = await piped(input);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^pin: .+\n$/);
    if (input.trim() !== '') expect(stderr).not.toContain(input.trim());
  });

  it('takes no PIN as an argument', async () => {
    expect(await runPin(['7382'], { ask: null, readInput: async () => '', hash })).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
    expect(await runPin(['--help'], { ask: null, readInput: async () => '', hash })).toMatchObject({
      exitCode: 0,
    });
  });
});
