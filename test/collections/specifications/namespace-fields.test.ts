import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNamespaceFields } from '../../../src/collections/specifications/namespace-fields.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

it('fields that an import must know are those of every version of a collection, and of its revisions', async () => {
  const settings = { storeRevisions: true };
  const workspace = createWorkspace({
    '1.0/library/books': { fields: { author: { type: 'Reference' }, at: { type: 'DateTime' } }, settings },
    '2.0/library/books': { fields: { serial: { type: 'ObjectID' }, title: { type: 'String' } }, settings },
    '1.0/library/images': { fields: {}, settings: { type: 'media', revisionCollection: 'olderImages' } },
    '1.0/library/broken': { fields: { at: { type: 'Nothing' } }, settings: {} },
  });
  try {
    const root = join(workspace.path, 'collections');
    const fields = await readNamespaceFields({
      workspace: createFolderWorkspace(),
      root,
      enableCollectionDatabases: false,
    });
    const ns = (collection: string) => ({ database: null, collection });
    for (const name of ['books', 'booksHistory']) {
      expect([...fields.idFields(ns(name))].toSorted()).toEqual([
        ...['author', 'history', 'originalDocumentId', 'serial'],
      ]);
      expect([...fields.dateFields(ns(name))]).toEqual(['at']);
    }
    expect([...fields.idFields(ns('unknown'))]).toEqual(['history', 'originalDocumentId']);
    expect([...fields.dateFields(ns('broken')), ...fields.mediaFields(ns('books'))]).toEqual([]);
    expect(['books', 'images', 'unknown'].map((name) => fields.holdsRecords(ns(name)))).toEqual([
      false,
      true,
      false,
    ]);
    expect(['books', 'images', 'unknown'].map((name) => fields.revisionCollection(ns(name)))).toEqual([
      ...['booksHistory', 'olderImages', undefined],
    ]);
  } finally {
    workspace.remove();
  }
});
