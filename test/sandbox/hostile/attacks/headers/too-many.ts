// A proxy in front would choke, or the server would.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'ten thousand headers',
  source: `
module.exports.get = function (req, res) { for (let n = 0; n < 10000; n += 1) res.setHeader('x-' + n, 'v'); res.end('ok'); };
`,
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_RESPONSE_TOO_LARGE'] },
};
