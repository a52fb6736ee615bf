import { expect, test } from 'vitest';
import { FAMILY_WILD, MIT_MAGIC_COOKIE, readXauthority, writeXauthority } from './xauthority.mjs';

const cookie = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const wild = { family: FAMILY_WILD, address: Buffer.alloc(0), number: '', name: MIT_MAGIC_COOKIE, cookie };

test('an entry for any display is written as libXau reads it', () => {
  expect(writeXauthority([wild]).toString('hex')).toBe(
    `ffff${'0000'}${'0000'}${'0012'}${Buffer.from('MIT-MAGIC-COOKIE-1').toString('hex')}${'0010'}${cookie.toString('hex')}`,
  );
});

test('what is written is read back', () => {
  const local = { ...wild, family: 256, address: Buffer.from('kiosk'), number: '12' };
  expect(readXauthority(writeXauthority([wild, local]))).toEqual([wild, local]);
});

test('a file that is cut off anywhere gives the entries before the cut', () => {
  const bytes = writeXauthority([wild, wild]);
  for (let length = 0; length < bytes.length; length += 1) {
    const whole = length >= bytes.length / 2 ? [wild] : [];
    expect(readXauthority(bytes.subarray(0, length))).toEqual(whole);
  }
});
