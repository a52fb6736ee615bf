import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPublicKey } from '../signing-key';
import { COMMAND_TYPE, MAX_COMMAND_BYTES, MAX_VALID_SECONDS } from './commands';
import { anOperator } from './testing/operator';
import { addresseesOf } from './topics';
import { verifyBlocks, verifyCommand } from './verify-document';

const NOW = Date.UTC(2026, 10, 22, 12);
const SECONDS = NOW / 1000;
const KIOSK = '00112233aabbccdd';
const operator = anOperator();
const stranger = anOperator();
const addressees: readonly string[] = addresseesOf(KIOSK, ['berlin']);
const parts = {
  keys: [readPublicKey(operator.publicKey)].filter((key) => key !== null),
  isAddressed: (aud: string) => addressees.includes(aud),
};
const bytes = (text: string) => Buffer.from(text);
const to = `kiosk:${KIOSK}`;
const refresh = { name: 'refresh' };

describe('a command', () => {
  test.each([to, 'group:berlin', 'all'])('to %s is taken', async (aud) => {
    const verified = await verifyCommand(bytes(await operator.command(aud, refresh, NOW)), parts);
    expect(verified).toMatchObject({ by: operator.fingerprint, document: { aud, command: refresh } });
  });

  test.each<[string, object, string]>([
    ['another kiosk', { aud: 'kiosk:ffffffffffffffff' }, 'wrong-addressee'],
    ['another group', { aud: 'group:paris' }, 'wrong-addressee'],
    ['a group that is named like a kiosk', { aud: KIOSK }, 'wrong-addressee'],
    ['valid for too long', { exp: SECONDS + MAX_VALID_SECONDS + 1 }, 'valid-too-long'],
    ['valid for no time', { exp: SECONDS }, 'valid-too-long'],
    ['valid for ever', { exp: undefined }, 'invalid'],
    ['of no known kind', { command: { name: 'format-disk' } }, 'invalid'],
    ['with a field too much', { command: { name: 'refresh', force: true } }, 'invalid'],
    ['without an id', { jti: undefined }, 'invalid'],
  ])('%s is refused', async (_name, more, refused) => {
    const signed = await operator.command(to, refresh, NOW, more);
    expect(await verifyCommand(bytes(signed), parts)).toMatchObject({ refused, by: operator.fingerprint });
  });

  test.each<[string, object, object]>([
    ['is not known', { name: 'format-disk' }, {}],
    ['is for another kiosk', refresh, { aud: 'kiosk:ffffffffffffffff' }],
    ['is valid for too long', refresh, { exp: SECONDS + MAX_VALID_SECONDS + 1 }],
  ])('that %s is refused by its id and name, so that its sender hears of it', async (_why, command, more) => {
    const signed = await operator.command(to, command, NOW, { jti: 'id-of-command', ...more });
    const named = { jti: 'id-of-command', command: (command as { name: string }).name };
    expect(await verifyCommand(bytes(signed), parts)).toMatchObject(named);
  });

  test('signed by an unknown key is refused, even under a known key id', async () => {
    const own = await stranger.command(to, refresh, NOW);
    expect(await verifyCommand(bytes(own), parts)).toMatchObject({ refused: 'unknown-key', by: null });
    const content = { iat: SECONDS, exp: SECONDS + 60, jti: 'stranger', aud: to, command: refresh };
    const borrowed = await stranger.sign(content, COMMAND_TYPE, { kid: operator.fingerprint });
    expect(await verifyCommand(bytes(borrowed), parts)).toMatchObject({ refused: 'unsigned', by: null });
  });

  test('that is too long, unsigned or signed as another type is refused unread', async () => {
    const none = (header: object) =>
      `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`;
    const kid = operator.fingerprint;
    const cases: ReadonlyArray<readonly [Buffer, string]> = [
      [Buffer.alloc(MAX_COMMAND_BYTES + 1, 'a'), 'too-long'],
      [bytes(''), 'unreadable'],
      [bytes('{"name":"refresh"}'), 'unreadable'],
      [
        bytes(none({ alg: 'none', typ: COMMAND_TYPE, kid, x: 'x'.repeat(MAX_COMMAND_BYTES / 2) })),
        'unreadable',
      ],
      [bytes(none({ alg: 'none', typ: COMMAND_TYPE, kid })), 'unsigned'],
      [bytes(none({ alg: 'HS256', typ: COMMAND_TYPE, kid })), 'unsigned'],
      [bytes(none({ alg: 'EdDSA', typ: COMMAND_TYPE, kid })), 'unsigned'],
      [bytes(await operator.blocks(to, 1, [])), 'unsigned'],
    ];
    for (const [payload, refused] of cases) {
      expect(await verifyCommand(payload, parts)).toMatchObject({ refused, by: null });
    }
  });

  test('that is signed but not an object is refused, and the refusal names the key', async () => {
    for (const content of [[], [1], null, 'refresh']) {
      const signed = await operator.sign(content as object, COMMAND_TYPE);
      expect(await verifyCommand(bytes(signed), parts)).toMatchObject({
        refused: 'unreadable',
        by: operator.fingerprint,
        jti: null,
        command: null,
      });
    }
  });

  test('with any changed byte is refused', async () => {
    const signed = bytes(await operator.command(to, refresh, NOW));
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(signed);
        changed[at] = (changed[at] ?? 0) ^ by;
        const verified = await verifyCommand(changed, parts);
        // The last base64 character has unused bits, so changing it may change nothing.
        if ('document' in verified) expect(at).toBeGreaterThanOrEqual(signed.length - 1);
      }),
      { numRuns: 200 },
    );
  });
});

describe('blocks', () => {
  test('are taken whenever they were signed', async () => {
    const signed = await operator.blocks('all', 3, [{ kind: 'flight', id: 'f' }]);
    expect(await verifyBlocks(bytes(signed), parts)).toMatchObject({
      document: { version: 3, atOnce: false, blocks: [{ kind: 'flight', id: 'f' }] },
    });
  });

  test.each<[string, () => Promise<string>, string]>([
    ['of another kiosk', () => operator.blocks('kiosk:ffffffffffffffff', 1, []), 'wrong-addressee'],
    ['of a stranger', () => stranger.blocks('all', 1, []), 'unknown-key'],
    ['without a version', () => operator.blocks('all', 0, []), 'invalid'],
    ['of an unknown kind', () => operator.blocks('all', 1, [{ kind: 'colour', id: 'red' }]), 'invalid'],
    ['that are a command', () => operator.command('all', refresh, NOW), 'unsigned'],
  ])('%s are refused', async (_name, sign, refused) => {
    expect(await verifyBlocks(bytes(await sign()), parts)).toMatchObject({ refused });
  });
});
