// Key of a namespace: what maps and locks over namespaces are keyed by.
import type { Namespace } from './ports.ts';

/** A text key for a namespace, fit for a Map. */
export const namespaceKey = ({ database, collection }: Namespace): string =>
  `${database ?? ''}/${collection}`;
