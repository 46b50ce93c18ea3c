// Such headers are granted by exact name only.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a cookie granted by a pattern',
  source: `
module.exports.get = function (req, res) {
  for (const name of ['set-cookie', 'access-control-allow-origin', 'transfer-encoding']) { try { res.setHeader(name, 'a=b'); } catch {} }
  res.end('ok');
};
`,
  policy: { version: 1, grants: { response: { headers: ['set-*', 'access-*', 'transfer-*'] } } },
  expect: {
    status: 200,
    body: 'ok',
    headers: { 'set-cookie': null, 'access-control-allow-origin': null, 'transfer-encoding': null },
  },
};
