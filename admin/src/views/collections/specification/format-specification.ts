// How the page writes specifications.
import type { Json } from '../../../api/types.ts';

export const formatSpecification = (value: Json): string => `${JSON.stringify(value, null, 2)}\n`;
