// Each is legal in some wrapper and tells which.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'await, yield, return, super and new.target at the top',
  source: `
const x = await 1;
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
