// It is read once, as text, by safe means.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route that is no text',
  source: `
module.exports.config = () => ({ route: { toString: () => '/token', replace() { for (;;); } } });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
