// No key, no power.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'Model without a grant',
  source: probe(`
for (const name of ['books', 'library/books', '1.0/library/books', 'cloister.clients', 'clients', 'cloister.audit']) {
  attempt(name, () => { Model(name); return false; });
  try { await Model(name).find({}); found.push('find ' + name); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  expect: HELD,
};
