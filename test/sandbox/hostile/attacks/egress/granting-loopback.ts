// An admin may not grant what the operator's file does not list.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a policy that grants loopback or metadata',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
`,
  policy: {
    version: 1,
    grants: { fetch: [{ origin: 'http://169.254.169.254', methods: ['GET'], paths: ['/'] }] },
  },
  expect: { refused: ['POLICY_INVALID'] },
};
