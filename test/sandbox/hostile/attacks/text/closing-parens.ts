// The wrapper may be an arrow, a call, an array.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'closing brackets of every kind',
  source: `
}})])}; 0, function () { ({([({{
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
