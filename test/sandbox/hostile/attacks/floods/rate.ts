// The rate of an endpoint is the operator's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'more requests than the policy allows a minute',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
`,
  policy: { version: 1, limits: { perMinute: 2 } },
  requests: [{}, {}, {}],
  expect: [{ status: 200 }, { status: 200 }, { codes: ['ENDPOINT_RATE_LIMITED'] }],
};
