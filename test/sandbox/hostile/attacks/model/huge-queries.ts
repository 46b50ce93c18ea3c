// A query costs the server, not the guest.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'queries of megabytes, of great depth, of many conditions',
  source: probe(`
let deep = { title: 'x' };
for (let n = 0; n < 5000; n += 1) deep = { $and: [deep] };
const wide = { $or: Array.from({ length: 50000 }, (_, n) => ({ title: 'a' + n })) };
for (const query of [deep, wide, { title: 'x'.repeat(3e6) }, { title: { $regex: '(a+)+$'.repeat(1000) } }, { title: { $in: Array.from({ length: 200000 }, (_, n) => n) } }]) {
  try { await Model('books').find(query); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
  },
  expect: HELD,
};
