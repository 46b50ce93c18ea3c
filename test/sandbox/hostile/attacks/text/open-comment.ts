// An open comment or line comment at the end hides the wrapper's own end.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a comment that swallows the rest',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
// the end, without a line break
`,
  expect: { status: 200, body: 'ok' },
};
