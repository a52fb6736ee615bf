export type Rotation = 0 | 90 | 180 | 270;

/** A point of the picture as the shopper sees it, and the picture's size; px. */
export interface PicturePoint {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Where a point of the window lies on the picture, which is turned clockwise by
 * `rotation` about the window's middle. `x`, `y`, `width` and `height` are the
 * window's, in px.
 */
export function picturePoint({ x, y, width, height }: PicturePoint, rotation: Rotation): PicturePoint {
  switch (rotation) {
    case 0:
      return { x, y, width, height };
    case 180:
      return { x: width - x, y: height - y, width, height };
    case 90:
      return { x: y, y: width - x, width: height, height: width };
    case 270:
      return { x: height - y, y: x, width: height, height: width };
  }
}
