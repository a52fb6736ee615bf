import type { NativeCardContent } from '../../../shared/native';

/** Class of a picture's aspect ratio. It decides where the texts go. */
export type PictureShape = 'none' | 'strip' | 'wide' | 'square' | 'tall';

/** Ratio of width to height if the picture states no size. */
export const USUAL_RATIO = 1200 / 627;
/** Beyond these ratios the picture area would be too narrow: the picture is letterboxed instead. */
const RATIO_RANGE = [0.2, 10] as const;

export function pictureRatio(picture: NativeCardContent['picture']): number {
  if (picture === null || picture.width === null || picture.height === null) return USUAL_RATIO;
  const [least, most] = RATIO_RANGE;
  return Math.min(most, Math.max(least, picture.width / picture.height));
}

export function pictureShape(picture: NativeCardContent['picture']): PictureShape {
  if (picture === null) return 'none';
  const ratio = pictureRatio(picture);
  if (ratio > 2.6) return 'strip';
  if (ratio > 1.2) return 'wide';
  return ratio >= 0.85 ? 'square' : 'tall';
}

/** Longest title that is set large, and longest that is set medium, in characters. */
const TITLE_STEPS = [24, 60] as const;

export function titleSize(title: string): 'large' | 'medium' | 'small' {
  const length = [...title].length;
  // At the larger sizes a word that is longer than a line would be broken. A no-break space is within a word.
  const longestWord = Math.max(0, ...title.split(' ').map((word) => [...word].length));
  if (length <= TITLE_STEPS[0] && longestWord <= 13) return 'large';
  return length <= TITLE_STEPS[1] && longestWord <= 18 ? 'medium' : 'small';
}
