// Operators that run code or leave the collection.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: '$where, $function, $out, $merge and $lookup',
  source: probe(`
for (const query of [{ $where: 'while(true);' }, { $function: { body: 'x' } }, { $expr: { $function: {} } }, { title: { $where: '1' } }, { $out: 'x' }, { $lookup: { from: 'people' } }, [{ $merge: 'x' }], { 'title.$where': 1 }, { __proto__: { $where: '1' }, $where: 1 }]) {
  try { const got = await Model('books').find(query); if (got && got.results && got.results.length > 0) found.push(JSON.stringify(query)); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    grants: { collections: [{ name: '1.0/library/books', actions: ['find', 'count'] }] },
  },
  expect: HELD,
};
