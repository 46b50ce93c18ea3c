// The same for a port beside the one that is listed.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a policy that grants a port of this machine',
  source: `
module.exports.get = function (req, res) { res.end('ok'); };
`,
  policy: {
    version: 1,
    grants: { fetch: [{ origin: 'http://{{canary}}', methods: ['GET'], paths: ['/'] }] },
  },
  expect: { refused: ['POLICY_INVALID'] },
};
