// EXIF orientation: geometry is planned on the image as shown, and carried out on the image as stored.
import type { Geometry, Rectangle, Size } from './geometry.ts';

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
export function rotateSize(size: Size, rotation: Rotation): Size {
  return isSideways(rotation) ? { width: size.height, height: size.width } : size;
}

/** The part of the stored image that a part of the shown image of `shown` comes from. */
export function toStoredRectangle(part: Rectangle, shown: Size, rotation: Rotation): Rectangle {
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
export function toStoredGeometry(geometry: Geometry, shown: Size, rotation: Rotation): Geometry {
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
