// Metadata is read once, as JSON, in the child.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'settings made of getters and proxies',
  source: `
let reads = 0;
module.exports.model = { get settings() { reads += 1; return { get authenticate() { reads += 1; return reads < 4; }, displayName: new Proxy({}, { get() { return 'x'; } }) }; } };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  requests: [{}],
  expect: { codes: ['ENDPOINT_ERROR'], orBytes: 10 },
};
