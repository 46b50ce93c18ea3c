// A grant opens a collection to the code, not to whoever calls it.
import { type Attack, HELD, PATIENT, probe } from '../../attack.ts';

const SOURCE = `
module.exports.model = { settings: { authenticate: false } };
${probe(`
const books = Model('books');
const tries = {
  find: () => books.find({}), count: () => books.count({}), create: () => books.create({ title: 'Persuasion' }),
  update: () => books.update({}, { title: 'Persuasion' }), delete: () => books.delete({}),
};
for (const name of Object.keys(tries)) {
  try { await tries[name](); found.push(name); } catch (error) { if (error.code !== 'NOT_PERMITTED' && error.code !== 'NO_TOKEN') found.push(name + ' ' + error.code); }
}
`)}`;

const ACTIONS = ['find', 'count', 'create', 'update', 'delete'];

export const attack: Attack = {
  title: 'a granted collection that the caller may not read or write',
  source: SOURCE,
  policy: {
    version: 1,
    limits: PATIENT,
    grants: { collections: [{ name: '1.0/library/books', actions: ACTIONS }] },
  },
  requests: [{ headers: { authorization: 'Bearer {{user}}' } }, { headers: { authorization: '' } }],
  expect: HELD,
  witness: {
    source: `
module.exports.get = async (req, res) => { const { results } = await Model('books').find({}); res.json(results.map(({ title }) => title)); };
`,
    expect: { status: 200, body: '["Emma"]' },
  },
};
