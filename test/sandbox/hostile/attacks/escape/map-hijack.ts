// The bootstrap keeps headers and pending calls somewhere; not where the guest can listen.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'replaced Map and WeakMap methods',
  source: `
const stolen = [];
for (const C of [Map, Set, WeakMap, WeakSet]) {
  for (const key of ['get', 'set', 'has', 'add', 'delete', 'forEach', 'keys', 'entries']) {
    try { C.prototype[key] = function (...args) { stolen.push(this, args); }; } catch {}
  }
}
module.exports.get = async function (req, res) {
  res.setHeader('x-one', '1');
  await new Promise((resolve) => setTimeout(resolve, 1));
  res.end(stolen.length === 0 ? 'ok' : 'stolen');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-one': '1' } },
};
