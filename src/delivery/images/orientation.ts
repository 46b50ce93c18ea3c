// EXIF orientation, flip and rotation: geometry is planned on the image as shown, and applied to the image as stored.

import type { ImageSettings } from '../recipes/setting-rules.ts';
import type { Geometry, ImageSize, Rectangle } from './geometry.ts';

/** What turns a stored image into the shown one: degrees clockwise first, then mirrored left to right. */
export interface Rotation {
  readonly angle: 0 | 90 | 180 | 270;
  readonly mirror: boolean;
}

const ROTATIONS: readonly Rotation[] = [
  { angle: 0, mirror: false },
  { angle: 0, mirror: true },
  { angle: 180, mirror: false },
  { angle: 180, mirror: true },
  { angle: 90, mirror: true },
  { angle: 90, mirror: false },
  { angle: 270, mirror: true },
  { angle: 270, mirror: false },
];

/** The rotation of an EXIF orientation, 1 to 8; anything else is none. */
export function rotationOf(orientation: number | undefined): Rotation {
  return ROTATIONS[(orientation ?? 1) - 1] ?? { angle: 0, mirror: false };
}

const isSideways = ({ angle }: Rotation) => angle === 90 || angle === 270;

/** Size after the rotation, or before it: width and height change places or do not. */
export function rotateSize(size: ImageSize, rotation: Rotation): ImageSize {
  return isSideways(rotation) ? { width: size.height, height: size.width } : size;
}

/** The part of the stored image that a part of the shown image of `shown` comes from. */
export function toStoredRectangle(part: Rectangle, shown: ImageSize, rotation: Rotation): Rectangle {
  const { top, width, height } = part;
  const left = rotation.mirror ? shown.width - part.left - width : part.left;
  if (rotation.angle === 0) return { left, top, width, height };
  const fromRight = shown.width - left - width;
  const fromBottom = shown.height - top - height;
  if (rotation.angle === 180) return { left: fromRight, top: fromBottom, width, height };
  if (rotation.angle === 90) return { left: top, top: fromRight, width: height, height: width };
  return { left: fromBottom, top: left, width: height, height: width };
}

/** The same steps on the stored image, before it is turned. `shown`: size of the original as shown. */
export function toStoredGeometry(geometry: Geometry, shown: ImageSize, rotation: Rotation): Geometry {
  const { cut, scale, trim, entropy, size } = geometry;
  const scaled = scale ?? (cut === undefined ? shown : { width: cut.width, height: cut.height });
  return {
    ...(cut === undefined ? {} : { cut: toStoredRectangle(cut, shown, rotation) }),
    ...(scale === undefined ? {} : { scale: rotateSize(scale, rotation) }),
    ...(trim === undefined ? {} : { trim: toStoredRectangle(trim, scaled, rotation) }),
    ...(entropy === undefined ? {} : { entropy }),
    size: rotateSize(size, rotation),
  };
}

/** Turned by `angle`, then mirrored left to right, then turned by `odd`. Degrees clockwise. */
export interface RotationPlan extends Rotation {
  /** Below 360, and 0 where the rotation is a multiple of 90. */
  readonly odd: number;
}

const within = (angle: number) => ((angle % 360) + 360) % 360;

/** Whether anything turns or mirrors, but for `odd`. */
export const isRotated = ({ angle, mirror }: RotationPlan) => angle !== 0 || mirror;

/** The orientation first, then the flip, then the rotation. */
export function composeRotation(orientation: Rotation, { flip, rotate = 0 }: ImageSettings): RotationPlan {
  const flipped = {
    // Top to bottom is left to right, upside down.
    angle: orientation.angle + (flip === 'y' || flip === 'xy' ? 180 : 0),
    mirror: flip === 'x' || flip === 'y' ? !orientation.mirror : orientation.mirror,
  };
  const wanted = within(rotate);
  const right = wanted % 90 === 0 ? wanted : 0;
  // A rotation after a mirror is the opposite rotation before it.
  const angle = within(flipped.mirror ? flipped.angle - right : flipped.angle + right);
  return { angle: angle as Rotation['angle'], mirror: flipped.mirror, odd: right === wanted ? 0 : wanted };
}
