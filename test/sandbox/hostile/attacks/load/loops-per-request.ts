// The body is evaluated for every request, under its clock.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a module body that is slow each time',
  source: `
const until = Date.now() + 150;
while (Date.now() < until);
module.exports.get = function (req, res) { res.end('ok'); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT'] },
};
