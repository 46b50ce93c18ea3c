// Exponential in another form.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a route with alternation under a quantifier',
  source: `
module.exports.config = () => ({ route: '/1.0/evil/:id((a|aa)+)' });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
