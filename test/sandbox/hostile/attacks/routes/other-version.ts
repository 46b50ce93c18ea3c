// A version's paths belong to it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route below another version',
  source: `
module.exports.config = () => ({ route: '/2.0/other' });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
