import { create } from 'qrcode';
import { expect, it } from 'vitest';
import { MAX_QR_BYTES, qrRows } from './qr-code';

it('has the modules of the code, row by row', async () => {
  const rows = await qrRows('https://shop.example/');
  const { modules } = create('https://shop.example/', { errorCorrectionLevel: 'M' });
  expect(rows).toHaveLength(modules.size);
  expect(rows?.join('')).toBe([...modules.data].map((dark) => (dark ? '1' : '0')).join(''));
});

it.each([
  ['letters', 'a'.repeat(MAX_QR_BYTES)],
  ['letters of several bytes', 'é'.repeat(MAX_QR_BYTES / 2)],
])('holds as many %s as a camera can read at a kiosk, and no more', async (_what, text) => {
  // 73 modules a side: version 14.
  expect((await qrRows(text))?.length).toBeLessThanOrEqual(73);
  expect(await qrRows(`${text}a`)).toBeNull();
  expect(await qrRows(`https://shop.example/?${'x'.repeat(2_300)}`)).toBeNull();
});
