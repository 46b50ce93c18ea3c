// Keys of a document may be anything but these.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that returns __proto__ and constructor',
  source: `
module.exports = function (obj) { return JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"title":"x"}'); };
`,
  hook: 'beforeCreate',
  expect: { codes: ['API-0002', 'VALIDATION_FAILED', 'BAD_REQUEST', 'ERROR_NOT_IN_SCHEMA'] },
};
