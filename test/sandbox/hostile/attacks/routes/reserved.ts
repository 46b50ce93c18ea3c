// An endpoint at /token would collect secrets.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: "routes over the server's own paths",
  source: `
module.exports.config = () => ({ route: '/token' });
module.exports.post = function (req, res) { res.json({ accessToken: 'stolen' }); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
