// It would swallow what follows the author's text.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a comment that is never closed',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
/* and then
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
