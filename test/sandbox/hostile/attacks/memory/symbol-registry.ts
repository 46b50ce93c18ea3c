// The registry of symbols is never collected: the isolate would die after some thousand calls.
import { type Attack, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'Symbol.for of long texts',
  source: `
module.exports.get = function (req, res) { for (let n = 0; n < 1e5; n += 1) Symbol.for('x'.repeat(1e5) + n); res.end('x'.repeat(200)); };
`,
  policy: { version: 1, limits: { cpuMs: 1000, wallMs: 5000 } },
  requests: [{}, {}, {}],
  expect: STARVED,
};
