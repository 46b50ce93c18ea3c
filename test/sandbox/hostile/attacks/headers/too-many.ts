// A proxy in front would choke, or the server would.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'ten thousand headers',
  source: `
module.exports.get = function (req, res) {
  let set = 0;
  for (let n = 0; n < 10000; n += 1) { try { res.setHeader('x-' + n, 'v'); set += 1; } catch {} }
  res.end('set ' + set);
};
`,
  policy: { version: 1, limits: PATIENT },
  expect: { status: 200, body: 'set 50', headers: { 'x-49': 'v', 'x-50': null } },
};
