// Ids, authors and versions are the server's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that sets what only the server writes',
  source: `
module.exports = function (obj) { return { title: 'x', _apiVersion: '9.9', createdBy: 'somebody else', _createdBy: 'somebody else', createdAt: 1, v: 99, _version: 99 }; };
`,
  hook: 'beforeCreate',
  expect: { codes: ['API-0002', 'VALIDATION_FAILED', 'BAD_REQUEST', 'ERROR_NOT_IN_SCHEMA'] },
};
