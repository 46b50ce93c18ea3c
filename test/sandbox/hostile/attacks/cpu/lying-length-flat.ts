// Nested native loops.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'flat and indexOf of a lying length',
  source: `
module.exports.get = function (req, res) { Array.prototype.flat.call({ length: 2 ** 53 - 1, 0: [1] }); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] },
};
