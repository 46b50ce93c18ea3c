// The envelope must not be built with methods that the guest can replace.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'replaced push, join, map and slice',
  source: `
for (const name of ['push', 'join', 'map', 'slice', 'concat', 'forEach', 'toString']) {
  try { Array.prototype[name] = function () { return ['HTTP', 500]; }; } catch {}
  try { String.prototype[name] = function () { return 'pwned'; }; } catch {}
}
module.exports.get = function (req, res) {
  res.statusCode = 201;
  res.setHeader('x-one', '1');
  res.end('ok');
};
`,
  expect: { status: 201, headers: { 'x-one': '1' }, body: 'ok' },
};
