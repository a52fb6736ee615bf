/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** A part of the picture, in fractions of its size. */
export interface Mark {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The whole picture: for creatives in one colour. */
export const WHOLE: readonly Mark[] = [{ left: 0, top: 0, width: 1, height: 1 }];

/** Middle and corners, where busy creatives have their colour: several places make a torn picture visible. */
export const MIDDLE_AND_CORNERS: readonly Mark[] = [
  { left: 0.375, top: 0.375, width: 0.25, height: 0.25 },
  { left: 0, top: 0, width: 0.125, height: 0.125 },
  { left: 0.875, top: 0, width: 0.125, height: 0.125 },
  { left: 0, top: 0.875, width: 0.125, height: 0.125 },
  { left: 0.875, top: 0.875, width: 0.125, height: 0.125 },
];

/** The middle alone: where a native card has its picture. */
export const MIDDLE: readonly Mark[] = MIDDLE_AND_CORNERS.slice(0, 1);

export interface Palette {
  /** The colour that identifies each creative. */
  readonly creatives: Readonly<Record<string, Colour>>;
  /** Where a creative must have its colour. */
  readonly marks: readonly Mark[];
  /**
   * Creatives with text and edges of their own. Only these marks are checked for their colour, and the colour
   * of no other creative may be anywhere.
   */
  readonly cards?: Readonly<Record<string, { readonly colour: Colour; readonly marks: readonly Mark[] }>>;
}

export type FrameLabel =
  | { readonly kind: 'creative'; readonly name: string }
  /** Parts of one creative and parts of something else. */
  | { readonly kind: 'torn' }
  | { readonly kind: 'black' }
  | { readonly kind: 'white' }
  | { readonly kind: 'foreign'; readonly colour: Colour };

/** How far a channel may differ: compression and colour conversion change it. */
const TOLERANCE = 36;
const BLACK_BELOW = 12;
const WHITE_ABOVE = 225;
/** One point in a thousand may differ: the edges of a mark are compressed together with its surroundings. */
const CLEAR_SHARE = 0.999;
/** From this share of one creative on, the picture counts as torn and not as foreign. */
const TORN_SHARE = 0.02;

/** Returns a function that classifies one captured picture. `pixels` are rows of red, green and blue bytes. */
export function createFrameClassifier(
  palette: Palette,
  size: { readonly width: number; readonly height: number },
): (pixels: Uint8Array) => FrameLabel {
  const names = Object.keys(palette.creatives);
  const colours = Object.values(palette.creatives);
  const offsets = offsetsIn(palette.marks, size);

  const cards = Object.entries(palette.cards ?? {}).map(([name, { colour, marks }]) => ({
    name,
    colour,
    offsets: offsetsIn(marks, size),
  }));
  const shareOf = (points: readonly number[], isWanted: (at: number) => boolean) =>
    points.filter(isWanted).length / points.length;
  const isCard = (pixels: Uint8Array) =>
    cards.find(
      ({ colour, offsets: points }) =>
        shareOf(points, (at) => isNear(colour, pixels, at)) >= CLEAR_SHARE &&
        shareOf(offsets, (at) => colours.some((other) => isNear(other, pixels, at))) < TORN_SHARE,
    );

  return (pixels) => {
    const card = isCard(pixels);
    if (card) return { kind: 'creative', name: card.name };
    const counts = new Array<number>(names.length).fill(0);
    const sums: [number, number, number] = [0, 0, 0];
    let black = 0;
    let white = 0;
    for (const offset of offsets) {
      const red = pixels[offset] ?? 0;
      const green = pixels[offset + 1] ?? 0;
      const blue = pixels[offset + 2] ?? 0;
      sums[0] += red;
      sums[1] += green;
      sums[2] += blue;
      const match = colours.findIndex((colour) => isNear(colour, pixels, offset));
      if (match >= 0) counts[match] = (counts[match] ?? 0) + 1;
      else if (Math.max(red, green, blue) < BLACK_BELOW) black += 1;
      else if (Math.min(red, green, blue) > WHITE_ABOVE) white += 1;
    }
    const clear = offsets.length * CLEAR_SHARE;
    const most = counts.reduce((best, count, index) => (count > (counts[best] ?? 0) ? index : best), 0);
    const name = names[most];
    const seen = counts[most] ?? 0;
    if (name !== undefined && seen >= clear) return { kind: 'creative', name };
    if (black >= clear) return { kind: 'black' };
    if (white >= clear) return { kind: 'white' };
    if (seen >= offsets.length * TORN_SHARE) return { kind: 'torn' };
    const mean = (sum: number) => Math.round(sum / offsets.length);
    return { kind: 'foreign', colour: [mean(sums[0]), mean(sums[1]), mean(sums[2])] };
  };
}

function isNear([red, green, blue]: Colour, pixels: Uint8Array, offset: number): boolean {
  return (
    Math.abs(red - (pixels[offset] ?? 0)) <= TOLERANCE &&
    Math.abs(green - (pixels[offset + 1] ?? 0)) <= TOLERANCE &&
    Math.abs(blue - (pixels[offset + 2] ?? 0)) <= TOLERANCE
  );
}

function offsetsIn(marks: readonly Mark[], size: { width: number; height: number }): number[] {
  const offsets: number[] = [];
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const across = (x + 0.5) / size.width;
      const down = (y + 0.5) / size.height;
      const isMarked = marks.some(
        ({ left, top, width, height }) =>
          across >= left && across < left + width && down >= top && down < top + height,
      );
      if (isMarked) offsets.push((y * size.width + x) * 3);
    }
  }
  return offsets;
}
