/** UTF-8 bytes. A code for more has modules too small for a phone's camera at a kiosk, and takes long to make. */
export const MOST_QR_BYTES = 300;

/** A QR code of a text, `1` for dark, row by row; null where the text is longer than `MOST_QR_BYTES`. */
export async function qrRows(text: string): Promise<string[] | null> {
  if (Buffer.byteLength(text) > MOST_QR_BYTES) return null;
  // Loaded here because it is rarely needed.
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  return Array.from({ length: modules.size }, (_, y) =>
    Array.from({ length: modules.size }, (_, x) => (modules.get(y, x) ? '1' : '0')).join(''),
  );
}
