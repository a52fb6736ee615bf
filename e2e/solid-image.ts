import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

type Colour = readonly [number, number, number];

/** A PNG of one colour ([red, green, blue]), recognisable on the display. */
export function solidImage(colour: Colour, width = 1280, height = 720): Buffer {
  const row = pixelRow(Array.from({ length: width }, () => colour));
  return png(
    width,
    height,
    Array.from({ length: height }, () => row),
  );
}

/** A PNG with a colour in each quarter: clockwise from the top left. */
export function quarteredImage(
  [topLeft, topRight, bottomRight, bottomLeft]: readonly [Colour, Colour, Colour, Colour],
  width: number,
  height: number,
): Buffer {
  const halves = (left: Colour, right: Colour) =>
    pixelRow(Array.from({ length: width }, (_, x) => (x < width / 2 ? left : right)));
  const top = halves(topLeft, topRight);
  const bottom = halves(bottomLeft, bottomRight);
  return png(
    width,
    height,
    Array.from({ length: height }, (_, y) => (y < height / 2 ? top : bottom)),
  );
}

/** One row of pixels with PNG's filter type 0 (none). */
function pixelRow(pixels: readonly Colour[]): Buffer {
  return Buffer.from([0, ...pixels.flat()]);
}

function png(width: number, height: number, rows: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
