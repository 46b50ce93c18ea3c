// Width and height of an image, and what turning it does to them.

/** In pixels, as shown: the orientation that the file asks for is applied. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** Applies an EXIF orientation: 5 to 8 are turned by a quarter. */
export function applyOrientation({ width, height }: Dimensions, orientation = 1): Dimensions {
  const isQuarterTurn = orientation >= 5 && orientation <= 8;
  return isQuarterTurn ? { width: height, height: width } : { width, height };
}
