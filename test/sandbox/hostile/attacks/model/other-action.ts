// A grant to read is none to write.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'actions beside the granted one',
  source: probe(`
const books = Model('books');
const people = Model('people');
for (const [name, run] of Object.entries({
  create: () => books.create({ title: 'pwned' }), update: () => books.update({}, { title: 'pwned' }), delete: () => books.delete({}),
  index: () => books.createIndex(), revisions: () => people.revisions('x'), get: () => people.get({}), aggregate: () => books.aggregate([]), connection: () => books.connection.db, drop: () => books.drop(),
})) { try { const got = await run(); if (got !== undefined) found.push(name); } catch (error) { attempt(name, () => outside(error)); } }
`),
  policy: {
    version: 1,
    grants: {
      collections: [
        { name: '1.0/library/books', actions: ['find'] },
        { name: '1.0/library/people', actions: ['count'] },
      ],
    },
  },
  expect: HELD,
};
