// Formatting of megabits is quadratic native code.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'BigInt power and formatting',
  source: `
module.exports.get = function (req, res) { res.end(String((7n ** 9000000n).toString().length)); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] },
};
