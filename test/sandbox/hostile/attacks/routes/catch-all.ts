// It would catch every collection of the version.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route of parameters only',
  source: `
module.exports.config = () => ({ route: '/1.0/:database/:collection' });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
