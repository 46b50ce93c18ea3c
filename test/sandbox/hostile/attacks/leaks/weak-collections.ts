// A frozen object can still be a key.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'WeakMap keyed by a shared object',
  source: `
const map = new WeakMap();
module.exports.get = function (req, res) { const seen = map.get(Object.prototype) || map.get(JSON) || 'none'; map.set(Object.prototype, 'found'); map.set(JSON, 'found'); res.end(seen); };
`,
  isolations: ALL_WALLS,
  requests: [{}, {}],
  expect: { status: 200, body: 'none' },
};
