import { describe, expect, it } from 'vitest';
import { workedMs } from '../reading/testing/turn-meter';
import { rpcCode, scrubbed, serviceMessage } from './service-message';

const message = (words: string) => serviceMessage(JSON.stringify({ message: words }), []);

describe('the error message of the service', () => {
  it.each([
    ['a token', 'bad eyJhbGci.eyJzdWI.c2ln!', 'bad [secret]!'],
    ['a token without a signature', 'bad eyJhbGci.eyJzdWI', 'bad [secret]'],
    ['a token behind a hyphen', 'id-eyJhbGci.eyJzdWI.c2ln', 'id-[secret]'],
    ['two tokens', 'eyJa.b.c and eyJd.e.f', '[secret] and [secret]'],
    ['a token behind a name', 'host.example.eyJa.b', 'host.example.[secret]'],
    ['no token', 'eyJust a word. eyJ.x', 'eyJust a word. eyJ.x'],
  ])('contains nothing of %s', (_what, words, told) => {
    expect(message(words)).toBe(told);
  });

  it('is not read from a body that is too large', () => {
    expect(message('x'.repeat(60_000))).toHaveLength(300);
    expect(message('x'.repeat(256_000))).toBeNull();
  });

  it('is not read from a body that nests deeper than 64 levels', () => {
    const body = (levels: number) =>
      `{"code":5,"message":"no","details":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect([serviceMessage(body(63), []), rpcCode(body(63))]).toEqual(['no', 5]);
    expect([serviceMessage(body(64), []), rpcCode(body(64))]).toEqual([null, null]);
  });

  it('is cleaned within a second even if 256 KB of it resemble tokens (13 s before)', () => {
    const started = workedMs();
    expect(scrubbed('eyJ-'.repeat(64_000), [])).toHaveLength(300);
    expect(workedMs() - started).toBeLessThan(1_000);
  });
});
