import { create } from 'qrcode';

/** A QR code of a text as the kiosk page gets it: `1` for dark, row by row. */
export function qrRows(text: string): string[] {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const line = Array.from({ length: modules.size }, (_, index) => index);
  return line.map((y) => line.map((x) => (modules.get(y, x) ? '1' : '0')).join(''));
}
