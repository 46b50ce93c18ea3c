// EXIF orientation, flip and rotation as one: pure arithmetic of the eight ways in which an image can lie.
import type { ImageSettings } from '../recipes/setting-rules.ts';
import type { Rotation } from './orientation.ts';

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
