// A name with a colon or a line break is two headers.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'header names that are no tokens',
  source: String.raw`
module.exports.get = function (req, res) {
  let accepted = 0;
  for (const name of ['', ' ', 'x-a: b\r\nx-injected', 'x-a\n', 'x a', 'x\u0000', 'é', '(x)', 'x-a:', '"x"']) {
    try { res.setHeader(name, '1'); accepted += 1; } catch {}
  }
  res.end(String(accepted));
};
`,
  expect: { status: 200, headers: { 'x-injected': null }, body: '0' },
};
