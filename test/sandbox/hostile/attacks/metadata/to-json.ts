// What was read once is what holds.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'settings with a toJSON that changes its answer',
  source: `
let asked = 0;
module.exports.model = { settings: { toJSON() { asked += 1; return { authenticate: asked > 1, __proto__: { authenticate: false } }; } } };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  requests: [{}, {}],
  expect: { status: 200, body: 'ok' },
};
