// It would reach the home object of the wrapper.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'super at the top',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
super.constructor;
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
