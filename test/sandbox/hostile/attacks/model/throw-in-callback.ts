// It belongs to the request whose callback it was, not to the process.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a throw in the callback of a query',
  source: `
module.exports.get = function (req, res) { Model('books').find({}, {}, () => { throw new Error('in a callback'); }); };
`,
  policy: { version: 1, grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] } },
  requests: [{}, {}],
  expect: { codes: ['ENDPOINT_ERROR'] },
};
