// A value read twice may pass the check and then be another.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a header value that changes between check and use',
  source: String.raw`
module.exports.get = function (req, res) {
  let reads = 0;
  const twoFaced = { toString() { reads += 1; return reads === 1 ? 'fine' : 'evil\r\nx-injected: 1\r\nset-cookie: a=b'; } };
  const twoNames = { toString() { reads += 1; return reads % 2 === 0 ? 'x-good' : 'set-cookie'; } };
  try { res.setHeader('x-value', twoFaced); } catch {}
  try { res.setHeader(twoNames, 'a=b'); } catch {}
  res.end('ok');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-injected': null, 'set-cookie': null } },
};
