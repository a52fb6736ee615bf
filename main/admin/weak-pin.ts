import { MAX_PIN_DIGITS } from '../../shared/admin';

const MIN_PIN_DIGITS = 4;

/** PINs that are tried first: lines and corners of the pad, and those that are written on test devices. */
const COMMON: ReadonlySet<string> = new Set([
  '2580',
  '0852',
  '1379',
  '1397',
  '1793',
  '7139',
  '1470',
  '1590',
  '3570',
  '147258',
  '159753',
  '147852',
  '258000',
  '112358',
  '314159',
  '1004',
  '1337',
  '4711',
  '0815',
  '0007',
]);

/** Whether a PIN is anything but 4 to 12 digits that are not easily guessed. */
export function isWeakPin(pin: string): boolean {
  if (!/^[0-9]*$/.test(pin) || pin.length < MIN_PIN_DIGITS || pin.length > MAX_PIN_DIGITS) return true;
  const digits = [...pin].map(Number);
  const steps = digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10);
  const isSequence = [1, 9].some((first) => steps.every((step) => step === first));
  return isSequence || isRepeated(pin) || /^(19|20)\d\d$/.test(pin) || COMMON.has(pin);
}

/** `1212`, `123123`, `1122`, `11223344`: a short part again and again, or every digit twice. */
function isRepeated(pin: string): boolean {
  return /^(?:(\d)\1)+$/.test(pin) || /^(\d+)\1+$/.test(pin);
}

/** What `isWeakPin` checks, as the overlay says it. */
export const PIN_RULE = `Expected ${MIN_PIN_DIGITS} to ${MAX_PIN_DIGITS} digits; no sequence, no repeats, no year, no well-known PIN.`;
