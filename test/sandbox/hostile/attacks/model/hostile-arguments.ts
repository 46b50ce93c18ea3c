// Arguments become text inside the timed call; callbacks run there too.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'arguments with toJSON, getters, proxies and callbacks that throw',
  source: probe(`
for (const query of [{ toJSON: () => ({ $where: '1' }) }, new Proxy({}, { ownKeys() { throw 1; } }), { get title() { throw 1; } }, 10n, Symbol('x'), () => 1]) {
  try { await Model('books').find(query); } catch (error) { attempt('error', () => outside(error)); }
}
await new Promise((resolve) => { Model('books').find({}, { limit: 1 }, (error, results) => { attempt('results', () => outside(results)); resolve(); }); });
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
  },
  expect: HELD,
};
