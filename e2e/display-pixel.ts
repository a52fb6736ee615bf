import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/* The colour of a point of the X display of this process's environment. Tests read it several times a second:
   that costs 0.5 ms of processor time here, and 135 ms with a call of ffmpeg for one pixel. */

const GET_GEOMETRY = 14;
const GET_IMAGE = 73;
const Z_PIXMAP = 2;
const HEADER = 32;

/** Fractions of the display's size, from its upper left corner. */
export interface Point {
  readonly across: number;
  readonly down: number;
}

export const MIDDLE: Point = { across: 0.5, down: 0.5 };

/** Red, green and blue, 0 to 255, as currently displayed. Rejects when there is no X display of 24 bits. */
export async function displayPixel({ across, down }: Point): Promise<[number, number, number]> {
  const socket = connect({ path: `/tmp/.X11-unix/X${/:(\d+)/.exec(process.env.DISPLAY ?? '')?.[1]}` });
  try {
    const read = reader(socket);
    socket.write(greeting());
    const answer = await read(8);
    const screens = await read(answer.readUInt16LE(6) * 4);
    if (answer[0] !== 1)
      throw new Error(`the X server rejected the connection: ${screens.toString('latin1')}`);
    // The first screen comes after 32 bytes, the vendor's name, and eight bytes for each picture format.
    const root = screens.readUInt32LE(32 + padded(screens.readUInt16LE(16)) + 8 * (screens[21] ?? 0));
    socket.write(request(GET_GEOMETRY, 0, [root]));
    const geometry = await read(HEADER);
    const [width, height] = [geometry.readUInt16LE(16), geometry.readUInt16LE(18)];
    const at = Math.floor(width * across) | (Math.floor(height * down) << 16);
    socket.write(request(GET_IMAGE, Z_PIXMAP, [root, at, 1 | (1 << 16), 0xffffffff]));
    const picture = await read(HEADER);
    if (picture[0] !== 1) throw new Error(`the display gave no picture: error ${picture[1]}`);
    const [blue = 0, green = 0, red = 0] = await read(picture.readUInt32LE(4) * 4);
    return [red, green, blue];
  } finally {
    socket.destroy();
  }
}

const padded = (length: number) => Math.ceil(length / 4) * 4;

/** A request of the X protocol, little-endian. */
function request(code: number, detail: number, words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + 4 * words.length);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt8(detail, 1);
  bytes.writeUInt16LE(bytes.length / 4, 2);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word >>> 0, 4 + 4 * index);
  return bytes;
}

/** The opening request for version 11.0, with the cookie at the end of the test display's Xauthority file. */
function greeting(): Buffer {
  const name = Buffer.from('MIT-MAGIC-COOKIE-1');
  const cookie = readFileSync(process.env.XAUTHORITY ?? '').subarray(-16);
  const bytes = Buffer.alloc(12 + padded(name.length) + cookie.length);
  bytes.write('l');
  bytes.writeUInt16LE(11, 2);
  bytes.writeUInt16LE(name.length, 6);
  bytes.writeUInt16LE(cookie.length, 8);
  name.copy(bytes, 12);
  cookie.copy(bytes, 12 + padded(name.length));
  return bytes;
}

/** Returns a function that reads exactly `count` bytes from the display. */
function reader(socket: Socket): (count: number) => Promise<Buffer> {
  const pieces = socket[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  return async (count) => {
    while (rest.length < count) {
      const { done, value } = await pieces.next();
      if (done) throw new Error('the display hung up');
      rest = Buffer.concat([rest, value as Buffer]);
    }
    const bytes = rest.subarray(0, count);
    rest = rest.subarray(count);
    return bytes;
  };
}
