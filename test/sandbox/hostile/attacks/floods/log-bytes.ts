// Bytes are counted where they are written.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'log lines of ten megabytes',
  source: `
module.exports.get = function (req, res) { const long = 'x'.repeat(1e7); for (let n = 0; n < 5; n += 1) console.log(long, { long }); res.end('ok'); };
`,
  policy: { version: 1, limits: PATIENT },
  expect: { status: 200, body: 'ok' },
};
