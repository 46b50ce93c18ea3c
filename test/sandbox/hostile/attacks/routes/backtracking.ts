// It would run in the server's router for every request.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route with a nested quantifier',
  source: `
module.exports.config = () => ({ route: '/1.0/evil/:id((a+)+b)' });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
