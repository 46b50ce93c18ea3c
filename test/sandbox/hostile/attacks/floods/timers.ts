// Each is a guest call with a budget.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hundred thousand timers',
  source: `
module.exports.get = function (req, res) {
  let made = 0; let fired = 0;
  for (let n = 0; n < 1e5; n += 1) {
    try { setTimeout(() => { fired += 1; if (fired === made) res.end('made ' + made); }, 1); made += 1; } catch {}
  }
};
`,
  policy: { version: 1, limits: PATIENT },
  expect: { status: 200, body: 'made 20' },
};
