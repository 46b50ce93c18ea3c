// Text pasted into a wrapper breaks out of it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a closing brace that ends the wrapper',
  source: `
}); globalThis.pwned = 1; (function () {
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
