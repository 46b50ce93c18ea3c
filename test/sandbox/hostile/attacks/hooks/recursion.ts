// Each would call the hook again.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that creates a document of its own collection',
  source: `
module.exports = async function (obj) { await Model('hooks-recursion').create({ title: 'again' }); return obj; };
`,
  hook: 'beforeCreate',
  policy: {
    version: 1,
    limits: { cpuMs: 500, wallMs: 3000 },
    grants: { collections: [{ name: '1.0/library/hooks-recursion', actions: ['create'] }] },
  },
  expect: { codes: ['HOOK_FAILED', 'API-0002', 'ENDPOINT_BUSY'] },
};
