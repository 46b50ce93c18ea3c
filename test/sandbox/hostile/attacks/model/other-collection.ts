// A grant is for one collection; names must not be bent to reach another.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'collections beside the granted one',
  source: probe(String.raw`
for (const name of ['people', 'library/people', '1.0/library/people', '1.0/library/books/../people', 'books\u0000', ' books', 'BOOKS', '__proto__', 'constructor', 'cloister.clients', '1.0/cloister/clients', ['people'], { toString: () => 'people' }]) {
  try { await Model(name).find({}); found.push('find ' + String(name)); } catch (error) { attempt('error', () => outside(error)); }
}
let reads = 0;
const twoFaced = { toString() { reads += 1; return reads === 1 ? 'books' : 'people'; } };
try { const got = await Model(twoFaced).find({}); if (JSON.stringify(got).includes('email')) found.push('two-faced'); } catch {}
`),
  policy: { version: 1, grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] } },
  expect: HELD,
};
