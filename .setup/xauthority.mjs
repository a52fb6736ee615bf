/**
 * One entry of an Xauthority file. Family 65535 fits any address, an empty number
 * any display.
 * @typedef {{ family: number, address: Buffer, number: string, name: string, cookie: Buffer }} Authority
 */

export const FAMILY_WILD = 0xffff;
export const MIT_MAGIC_COOKIE = 'MIT-MAGIC-COOKIE-1';

/**
 * The bytes of an Xauthority file: per entry the family and four counted strings,
 * all numbers two bytes, most significant first.
 * @param {Authority[]} entries
 * @returns {Buffer}
 */
export function writeXauthority(entries) {
  return Buffer.concat(
    entries.flatMap(({ family, address, number, name, cookie }) => [
      uint16(family),
      counted(address),
      counted(Buffer.from(number, 'latin1')),
      counted(Buffer.from(name, 'latin1')),
      counted(cookie),
    ]),
  );
}

/**
 * The entries of an Xauthority file; a cut-off last one is left out.
 * @param {Buffer} bytes
 * @returns {Authority[]}
 */
export function readXauthority(bytes) {
  /** @type {Authority[]} */
  const entries = [];
  let at = 0;
  const next = () => {
    if (at + 2 > bytes.length) return null;
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) return null;
    const value = bytes.subarray(at + 2, end);
    at = end;
    return value;
  };
  while (at + 2 <= bytes.length) {
    const family = bytes.readUInt16BE(at);
    at += 2;
    const address = next();
    const number = next();
    const name = next();
    const cookie = next();
    if (address === null || number === null || name === null || cookie === null) break;
    entries.push({
      family,
      address,
      number: number.toString('latin1'),
      name: name.toString('latin1'),
      cookie,
    });
  }
  return entries;
}

/** @param {number} value */
function uint16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** @param {Buffer} value */
function counted(value) {
  return Buffer.concat([uint16(value.length), value]);
}
