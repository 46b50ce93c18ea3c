// Key of a namespace: what maps and locks over namespaces are keyed by.
import type { Namespace } from './ports.ts';

/** Unique key of a namespace. The name of a database contains no slash. */
export const namespaceKey = ({ database, collection }: Namespace): string =>
  `${database ?? ''}/${collection}`;
