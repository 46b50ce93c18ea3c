// The same; it also deletes as it goes.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'reverse on a lying length',
  source: `
module.exports.get = function (req, res) { Array.prototype.reverse.call({ length: 2 ** 53 - 1 }); res.end('done'); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
