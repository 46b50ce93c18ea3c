// How an image of one size becomes one of another: pure arithmetic on the image as it is shown, orientation applied.
import type { Gravity, ImageSettings, ResizeStyle } from '../recipes/setting-rules.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface Rectangle extends ImageSize {
  readonly left: number;
  readonly top: number;
}

/** Steps in order; an absent one is left out. */
export interface Geometry {
  /** Cut out of the original. */
  readonly cut?: Rectangle;
  /** Scales to exactly this. */
  readonly scale?: ImageSize;
  /** Cut out of the scaled image. */
  readonly trim?: Rectangle;
  /** Covers `scale` and keeps the part with the most detail. */
  readonly entropy?: true;
  /** Result. */
  readonly size: ImageSize;
}

export const formatSize = ({ width, height }: ImageSize) => `${width}×${height}`;

/** A cut that lies outside the original: the reason, for the client. */
export class CropError extends Error {}

const atLeastOne = (value: number) => Math.max(1, value);
const truncated = ({ width, height }: ImageSize): ImageSize => ({
  // What is a whole number but for the last bit of a division counts as it.
  width: atLeastOne(Math.floor(width + 1e-6)),
  height: atLeastOne(Math.floor(height + 1e-6)),
});

/** The largest box of the same shape as `box` that fits into `source`; `box` itself when it does. */
function withoutEnlarging(box: ImageSize, source: ImageSize): ImageSize {
  const factor = Math.min(1, source.width / box.width, source.height / box.height);
  return factor === 1 ? box : { width: box.width * factor, height: box.height * factor };
}

/** How much of the room lies left of and above the part that a gravity keeps: 0, a half or all. */
function shareOf(gravity: Gravity): { readonly x: number; readonly y: number } {
  const x = gravity.endsWith('west') ? 0 : gravity.endsWith('east') ? 1 : 0.5;
  const y = gravity.startsWith('north') ? 0 : gravity.startsWith('south') ? 1 : 0.5;
  return { x, y };
}

function placed(area: ImageSize, part: ImageSize, gravity: Gravity): Rectangle {
  const share = shareOf(gravity);
  const left = Math.floor((area.width - part.width) * share.x);
  return { left, top: Math.floor((area.height - part.height) * share.y), ...part };
}

function inside(source: ImageSize, part: Rectangle): Rectangle {
  const fits =
    part.width > 0 &&
    part.height > 0 &&
    part.left >= 0 &&
    part.top >= 0 &&
    part.left + part.width <= source.width &&
    part.top + part.height <= source.height;
  if (fits) return part;
  const shown = `${formatSize(part)} at ${part.left},${part.top}`;
  throw new CropError(`The crop rectangle ${shown} is not inside the image of ${formatSize(source)}`);
}

interface Named {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The dimensions that are named, times the pixel ratio. */
function times({ width, height }: Named, pixelRatio = 1): Partial<ImageSize> {
  return {
    ...(width === undefined ? {} : { width: width * pixelRatio }),
    ...(height === undefined ? {} : { height: height * pixelRatio }),
  };
}

/** The dimensions that the settings ask for, pixel ratio included; undefined where they ask for none. */
function namedBy(settings: ImageSettings, source: ImageSize): Partial<ImageSize> | undefined {
  const { width, height, ratio, devicePixelRatio } = settings;
  if (width === undefined && height === undefined) {
    if (ratio === undefined) return undefined;
    const across = Math.min(source.width, source.height * ratio);
    return { width: across, height: across / ratio };
  }
  if (ratio === undefined) return times({ width, height }, devicePixelRatio);
  const both = { width: width ?? (height ?? 0) * ratio, height: height ?? (width ?? 0) / ratio };
  return times(both, devicePixelRatio);
}

function scaledTo(source: ImageSize, size: ImageSize): Geometry {
  const same = size.width === source.width && size.height === source.height;
  return same ? { size } : { scale: size, size };
}

/** Proportional. A dimension that is not named is whatever follows from the other. */
function fitInside(source: ImageSize, target: Partial<ImageSize>, { enlarge }: ImageSettings): Geometry {
  const { width = Number.POSITIVE_INFINITY, height = Number.POSITIVE_INFINITY } = target;
  const wanted = Math.min(width / source.width, height / source.height);
  const factor = enlarge === true ? wanted : Math.min(1, wanted);
  return scaledTo(source, truncated({ width: source.width * factor, height: source.height * factor }));
}

function cover(source: ImageSize, box: ImageSize, gravity: Gravity): Geometry {
  const size = truncated(box);
  const factor = Math.max(size.width / source.width, size.height / source.height);
  if (factor > 1) {
    // Cut first: the image in between is never larger than the result.
    const part = truncated({ width: size.width / factor, height: size.height / factor });
    return { cut: placed(source, part, gravity), scale: size, size };
  }
  const scale = {
    width: Math.max(size.width, Math.round(source.width * factor)),
    height: Math.max(size.height, Math.round(source.height * factor)),
  };
  const scaled = scaledTo(source, scale);
  if (scale.width === size.width && scale.height === size.height) return scaled;
  return { ...scaled, trim: placed(scale, size, gravity), size };
}

function crop(source: ImageSize, box: ImageSize | undefined, settings: ImageSettings): Geometry {
  const { crop: sides, width, height } = settings;
  if (sides === undefined) {
    if (box === undefined) return { size: source };
    const part = truncated(box);
    const cut = inside(source, placed(source, part, 'center'));
    return { cut, size: part };
  }
  const [top = 0, left = 0] = sides;
  const bottom = sides[2] ?? (height ?? source.height) - top;
  const right = sides[3] ?? (width ?? source.width) - left;
  const cut = inside(source, { left, top, width: right - left, height: bottom - top });
  const piece = { width: cut.width, height: cut.height };
  const { devicePixelRatio = 1 } = settings;
  const isUnscaled = width === undefined && height === undefined;
  if (isUnscaled && devicePixelRatio === 1) return { cut, size: piece };
  const target = times(isUnscaled ? piece : { width, height }, devicePixelRatio);
  const both = target.width !== undefined && target.height !== undefined;
  const scaled = both
    ? stretch(piece, { ...piece, ...target }, settings)
    : fitInside(piece, target, settings);
  return { cut, ...scaled };
}

function stretch(source: ImageSize, box: ImageSize, { enlarge }: ImageSettings): Geometry {
  return scaledTo(source, truncated(enlarge === true ? box : withoutEnlarging(box, source)));
}

function styleOf(settings: ImageSettings, named: Partial<ImageSize> | undefined): ResizeStyle {
  if (settings.resizeStyle !== undefined) return settings.resizeStyle;
  if (settings.crop !== undefined) return 'crop';
  return named?.width !== undefined && named.height !== undefined ? 'aspectfill' : 'aspectfit';
}

/** An exact piece without scaling, by its upper left corner. */
function cutAt(source: ImageSize, settings: ImageSettings): Geometry {
  const { cropX: left = 0, cropY: top = 0 } = settings;
  const { width = source.width - left, height = source.height - top } = settings;
  return { cut: inside(source, { left, top, width, height }), size: { width, height } };
}

/**
 * The steps that give the size asked for. Without `enlarge` a box that is larger than the original shrinks to fit into it
 * and keeps its shape. Throws CropError.
 */
export function planGeometry(source: ImageSize, settings: ImageSettings): Geometry {
  const { cropX = 0, cropY = 0, gravity = 'northwest', enlarge } = settings;
  // Recipes of the older server write "not set" as 0.
  if (cropX > 0 || cropY > 0) return cutAt(source, settings);
  const named = namedBy(settings, source);
  const style = styleOf(settings, named);
  // A style given with one dimension: the other is that of the original.
  const box = named === undefined ? undefined : { ...source, ...named };
  if (style === 'crop') return crop(source, box, settings);
  if (named === undefined || box === undefined) return { size: source };
  if (style === 'aspectfit') return fitInside(source, named, settings);
  if (style === 'fill') return stretch(source, box, settings);
  const target = enlarge === true ? box : withoutEnlarging(box, source);
  if (style === 'aspectfill') return cover(source, target, gravity);
  const size = truncated(target);
  const scaled = scaledTo(source, size);
  return scaled.scale === undefined ? scaled : { scale: size, entropy: true, size };
}
