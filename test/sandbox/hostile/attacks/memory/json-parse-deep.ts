// Depth instead of length.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'JSON.parse of ten million nested arrays',
  source: `
module.exports.get = function (req, res) { res.end(String(JSON.parse('['.repeat(1e7) + ']'.repeat(1e7)).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
