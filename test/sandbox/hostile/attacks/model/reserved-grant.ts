// Clients, audit log and secrets live in collections that nobody may be granted.
import { type Attack, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'a grant for a reserved collection',
  source: probe(`
const got = await Model('cloister.clients').find({});
found.push(JSON.stringify(got));
`),
  policy: {
    version: 1,
    grants: { collections: [{ name: '1.0/library/cloister.clients', actions: ['find'] }] },
  },
  expect: { codes: ['POLICY_INVALID', 'ENDPOINT_ERROR'] },
};
