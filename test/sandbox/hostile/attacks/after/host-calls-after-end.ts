// Calls made are performed, answers are not delivered.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'guest calls after res.end',
  source: `
module.exports.get = function (req, res) { res.end('ok'); Model('books').find({}).then(() => { for (;;); }); };
`,
  policy: { version: 1, grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] } },
  requests: [{}, {}],
  expect: { status: 200, body: 'ok' },
};
