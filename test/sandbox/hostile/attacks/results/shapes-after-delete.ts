// With the limits that a hook has by default.
import { shapesOf } from '../../shapes.ts';

export const attack = shapesOf('afterDelete');
