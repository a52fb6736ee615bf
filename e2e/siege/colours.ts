import type { Colour, FrameLabel, Palette } from '../capture/classify-frame';
import { MIDDLE, WHOLE } from '../capture/classify-frame';

/** The colour that identifies each creative of a siege. */
export const COLOURS = {
  red: [200, 30, 40],
  blue: [16, 48, 208],
  /** New ads in each recovery: they show that requests, downloads and decisions work again. */
  rose: [240, 120, 200],
  sky: [120, 200, 240],
  /** Flights with caps: three plays a day, four a minute. */
  daily: [20, 150, 170],
  minutely: [230, 150, 20],
  /** Hostile creatives that may be shown. */
  hostile: [20, 160, 70],
  /** Must never be shown. */
  forbidden: [250, 250, 60],
} as const satisfies Record<string, Colour>;
export type ColourName = keyof typeof COLOURS;

/** Pictures of native cards. */
export const CARD: Colour = [130, 40, 170];

export const PALETTE: Palette = {
  creatives: COLOURS,
  marks: WHOLE,
  cards: { card: { colour: CARD, marks: MIDDLE } },
};

/** What one frame of the display showed; `odd`: something that is not served. */
export type Sight = ColourName | 'card' | 'ground' | 'black' | 'white' | 'torn' | 'odd';

/** The brand card and the background of native cards have this dark green. */
const isGround = ([red, green, blue]: Colour) => green >= red && green >= blue && green > 12 && green < 130;

export function sightOf(label: FrameLabel): Sight {
  switch (label.kind) {
    case 'creative':
      return label.name as ColourName | 'card';
    case 'foreign':
      return isGround(label.colour) ? 'ground' : 'odd';
    default:
      return label.kind;
  }
}

/** The colour in CSS notation. */
export const css = (name: ColourName): string => `rgb(${COLOURS[name].join(',')})`;
