// Hooks keep no more state than endpoints.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a counter in a hook',
  source: `
let n = 0;
module.exports = function (obj) { n += 1; globalThis.leak = (globalThis.leak || 0) + 1; return { ...obj, title: 'n' + Math.max(n, globalThis.leak || 0) }; };
`,
  hook: 'beforeCreate',
  isolations: ALL_WALLS,
  requests: Array.from({ length: 3 }, () => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"x"}',
  })),
  expect: { status: 200, body: /"title":"n1"/ },
};
