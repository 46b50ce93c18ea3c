// It would see every document written there.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route over a collection',
  source: `
module.exports.config = () => ({ route: '/1.0/library/books' });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
