// Lines are counted where they are written.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hundred thousand log lines',
  source: `
module.exports.get = function (req, res) { for (let n = 0; n < 1e5; n += 1) console.error('line ' + n); res.end('ok'); };
`,
  policy: { version: 1, limits: PATIENT },
  expect: { status: 200, body: 'ok' },
};
