import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEMO_PIN, DEMO_PIN_HASH } from '../../shared/staff';
import { hashPin, isPin, readPinHash } from './pin-hash';
import { isWeakPin } from './weak-pin';

/** Cheap, so that many can be made. */
const cheap = { N: 16, r: 1, p: 1 };
const salt = Buffer.from('0123456789abcdef');

describe('the hash of a PIN', () => {
  it('is scrypt$N$r$p$salt$hash, as the settings expect it', async () => {
    const text = await hashPin('7382', salt, cheap);
    const expected = scryptSync('7382', salt, 32, cheap).toString('base64url');
    expect(text).toBe(`scrypt$16$1$1$${salt.toString('base64url')}$${expected}`);
  });

  it('matches its PIN and no other', async () => {
    const known = readPinHash(await hashPin('7382', undefined, cheap));
    if (!known) throw new Error('what was written cannot be read');
    for (const pin of ['7382', '7383', '738', '73820', '', ' 7382', '７３８２']) {
      expect([pin, await isPin(pin, known)]).toEqual([pin, pin === '7382']);
    }
  });

  it('is different each time', async () => {
    expect(await hashPin('7382')).not.toBe(await hashPin('7382'));
  });

  it('costs 32 MiB by default', async () => {
    expect(readPinHash(await hashPin('7382'))).toMatchObject({ N: 32_768, r: 8, p: 1 });
  });

  const [good] = ['scrypt$16$1$1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3'];
  it.each([
    ['nothing', ''],
    ['another scheme', good.replace('scrypt', 'bcrypt')],
    ['a cost that is no power of two', good.replace('$16$', '$15$')],
    ['no cost', good.replace('$16$', '$1$')],
    ['a cost of gigabytes', good.replace('$16$1$', '$1048576$32$')],
    ['a block size of nothing', good.replace('$16$1$', '$16$0$')],
    ['a parallelism of nothing', good.replace('$16$1$1$', '$16$1$0$')],
    ['a salt of nothing', good.replace('MDEyMzQ1Njc4OWFiY2RlZg', '')],
    ['more before it', `x${good}`],
    ['more behind it', `${good}$x`],
    ['a line end', `${good}\n`],
  ])('is not read from %s', (_case, text) => {
    expect(readPinHash(good)).not.toBeNull();
    expect(readPinHash(text)).toBeNull();
  });
});

it('the PIN of the demo is valid and not weak', async () => {
  const known = readPinHash(DEMO_PIN_HASH);
  expect(known && (await isPin(DEMO_PIN, known))).toBe(true);
  expect(isWeakPin(DEMO_PIN)).toBe(false);
});
