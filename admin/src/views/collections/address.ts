// Where a collection is: its address in the API, in this page, and those of its documents.
import { pathOf } from '../../api/api.ts';

export interface CollectionAddress {
  readonly version: string;
  readonly database: string;
  readonly name: string;
}

/** `/1.0/library/books`: also the address of the view, within the area. */
export const collectionPath = ({ version, database, name }: CollectionAddress): string =>
  pathOf(version, database, name);

/** The address that a path of the server names. */
export function parsePath(path: string): CollectionAddress {
  const [version = '', database = '', name = ''] = path.split('/').slice(1).map(decodeURIComponent);
  return { version, database, name };
}

/** Where the view of a document is, from any area. */
export const documentHref = (path: string, id: string): string =>
  `~/admin/collections${path}/${encodeURIComponent(id)}`;

/** What a client may do with a collection: `read, create, see revisions`. */
export const actionsInWords = (actions: readonly string[]): string =>
  actions.map((action) => (action === 'history' ? 'see revisions' : action)).join(', ');
