// The first thing anyone tries.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a counter in a module variable',
  source: `
let count = 0;
const cache = new Map();
module.exports.get = function (req, res) { count += 1; cache.set(count, 1); res.end(String(Math.max(count, cache.size))); };
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: '1' },
};
