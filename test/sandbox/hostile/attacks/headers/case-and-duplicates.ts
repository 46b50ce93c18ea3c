// Names are compared in lower case, or a forbidden one slips through.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'one name in many spellings',
  source: `
module.exports.get = function (req, res) {
  res.setHeader('X-A', '1'); res.setHeader('x-A', '2'); res.setHeader('x-a', '3');
  for (const name of ['SET-COOKIE', 'Set-cookie', 'sEt-CoOkIe']) res.setHeader(name, 'a=b');
  res.end('ok');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'set-cookie': null, 'x-a': '3' } },
};
