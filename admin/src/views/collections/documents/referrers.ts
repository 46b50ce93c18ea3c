// The documents that refer to one: asked of every collection that the caller may read.
import type { Api } from '../../../api/api.ts';
import type { Me } from '../../../api/types.ts';
import type { CollectionDescription, DocumentPage } from '../../../api/types-collections.ts';
import { collectionPath, parsePath } from '../address.ts';
import { fieldsOf } from '../fields/field.ts';

/** Collections that are asked; of a server with more the last ones are not. */
const MAX_COLLECTIONS = 100;

export interface Referrer {
  /** Of the collection. */
  readonly name: string;
  /** Label of the field. */
  readonly field: string;
  readonly count: number;
}

async function referrersIn(api: Api, from: string, to: string, id: string): Promise<readonly Referrer[]> {
  const collection = await api.get<CollectionDescription>(`/api/me/collections${from}`);
  const fields = fieldsOf(collection).filter(
    ({ target }) => target !== undefined && collectionPath(target) === to,
  );
  return Promise.all(
    fields.map(async ({ name, label }) => {
      const filter = JSON.stringify({ [name]: id });
      const { metadata } = await api.get<Pick<DocumentPage, 'metadata'>>(`${from}/count`, {
        query: { filter },
      });
      return { name: collection.name, field: label, count: metadata.totalCount };
    }),
  );
}

/** Where it is referred to, how often. What cannot be found out is left out: the question must be asked all the same. */
export async function findReferrers(
  api: Api,
  me: Me,
  path: string,
  id: string,
): Promise<readonly Referrer[]> {
  const { version } = parsePath(path);
  const readable = me.collections
    .filter((entry) => entry.actions.includes('read') && parsePath(entry.path).version === version)
    .slice(0, MAX_COLLECTIONS);
  const found = await Promise.all(
    readable.map((entry) => referrersIn(api, entry.path, path, id).catch(() => [])),
  );
  return found.flat().filter(({ count }) => count > 0);
}
