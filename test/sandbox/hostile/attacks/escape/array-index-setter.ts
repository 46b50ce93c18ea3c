// A setter on Array.prototype[0] sees what the host code puts into its own lists.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'setters on array indices',
  source: `
const stolen = [];
for (const at of [0, 1, 2, 3]) {
  for (const prototype of [Array.prototype, Object.prototype]) {
    try { Object.defineProperty(prototype, at, { set(value) { stolen.push(value); }, get() { return 'pwned'; }, configurable: true }); } catch {}
  }
}
module.exports.get = function (req, res) {
  res.setHeader('x-one', '1');
  res.end(stolen.length === 0 ? 'ok' : 'stolen ' + stolen.length);
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-one': '1' } },
};
