// What the older server wrote into documents itself from its third release on, and the names that the first two and this one have.

/** Our names by those with an underscore. */
export const UNDERSCORED_INTERNALS: ReadonlyMap<string, string> = new Map([
  ['_apiVersion', 'apiVersion'],
  ['_version', 'v'],
  ['_history', 'history'],
  ['_createdAt', 'createdAt'],
  ['_createdBy', 'createdBy'],
  ['_lastModifiedAt', 'lastModifiedAt'],
  ['_lastModifiedBy', 'lastModifiedBy'],
]);
