// A scanner without interruption.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'Date.parse of ten megabytes',
  source: `
module.exports.get = function (req, res) { for (let n = 0; n < 50; n += 1) Date.parse('('.repeat(1e7)); res.end('done'); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'], orBytes: 10 },
};
