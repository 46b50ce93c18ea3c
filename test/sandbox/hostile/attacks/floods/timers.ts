// Each is a host call with a budget.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hundred thousand timers',
  source: `
module.exports.get = function (req, res) { let fired = 0; for (let n = 0; n < 1e5; n += 1) { try { setTimeout(() => { fired += 1; }, 1); } catch {} } setTimeout(() => res.end('ok'), 20); };
`,
  policy: { version: 1, limits: { cpuMs: 500, wallMs: 1000 } },
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 100 },
};
