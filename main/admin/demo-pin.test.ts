import { expect, it } from 'vitest';
import { DEMO_PIN } from '../../shared/demo-pin';
import { DEMO_PIN_HASH } from './demo-pin';
import { isPin, readPinHash } from './pin-hash';
import { weaknessOf } from './weak-pin';

it('the demo has a PIN as a kiosk would', async () => {
  const known = readPinHash(DEMO_PIN_HASH);
  expect(known && (await isPin(DEMO_PIN, known))).toBe(true);
  expect(weaknessOf(DEMO_PIN)).toBeNull();
});
