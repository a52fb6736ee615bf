import { MAX_PIN_DIGITS, type WeakPin } from '../../shared/admin';

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

/** Why a PIN is weak; null: 4 to 12 digits that are not easily guessed. */
export function weaknessOf(pin: string): WeakPin | null {
  if (!/^[0-9]*$/.test(pin)) return 'not-digits';
  if (pin.length < MIN_PIN_DIGITS) return 'too-short';
  if (pin.length > MAX_PIN_DIGITS) return 'too-long';
  const digits = [...pin].map(Number);
  const steps = digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10);
  if (steps.every((step) => step === 0)) return 'all-equal';
  if (steps.every((step) => step === 1) || steps.every((step) => step === 9)) return 'sequence';
  if (isRepeated(pin)) return 'repeats';
  if (/^(19|20)\d\d$/.test(pin)) return 'year';
  return COMMON.has(pin) ? 'common' : null;
}

/** `1212`, `123123`, `1122`, `11223344`: a short part again and again, or every digit twice. */
function isRepeated(pin: string): boolean {
  return /^(?:(\d)\1)+$/.test(pin) || /^(\d+)\1+$/.test(pin);
}

/** Each weakness in a sentence. */
export const WEAKNESSES: Readonly<Record<WeakPin, string>> = {
  'too-short': `Expected at least ${MIN_PIN_DIGITS} digits.`,
  'too-long': `Expected at most ${MAX_PIN_DIGITS} digits.`,
  'not-digits': 'Expected digits only: the pad on the kiosk has no other keys.',
  'all-equal': 'All digits are equal.',
  sequence: 'The digits are a sequence.',
  repeats: 'The same digits repeat.',
  year: 'It looks like a year.',
  common: 'This PIN is one of the first that people guess.',
};
