// The same in one piece.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a header of a megabyte',
  source: `
module.exports.get = function (req, res) { res.setHeader('x-a', 'v'.repeat(1 << 20)); res.end('ok'); };
`,
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_RESPONSE_TOO_LARGE'] },
};
