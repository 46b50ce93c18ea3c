// Callbacks run in a later turn, which has its clock too.
import { type Attack, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a loop in the callback of a query',
  source: `
module.exports.get = function (req, res) { Model('books').find({}, {}, () => { for (;;); }); };
`,
  policy: {
    version: 1,
    limits: { cpuMs: 100, wallMs: 1000 },
    grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
  },
  expect: TIMEOUT,
};
