// The names that the server itself writes into documents and revisions.

/** In every document. */
export const INTERNAL_FIELDS: readonly string[] = [
  '_id',
  'apiVersion',
  'v',
  'history',
  'createdAt',
  'createdBy',
  'lastModifiedAt',
  'lastModifiedBy',
  'composed',
];

/** In a revision besides. */
export const REVISION_MEMBERS: readonly string[] = ['action', 'originalDocumentId'];
