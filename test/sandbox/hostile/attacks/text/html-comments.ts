// In scripts they are comments that few know.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'HTML comments',
  source: `
<!-- a comment to some
module.exports.get = function (req, res) { res.end('ok'); };
--> another
`,
  expect: { codes: ['ENDPOINT_ERROR'], orBytes: 5 },
};
