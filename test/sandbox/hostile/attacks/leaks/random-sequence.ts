// One generator for all requests would let one predict another's numbers.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'the sequence of Math.random',
  source: `
const numbers = [Math.random(), Math.random(), Math.random()];
module.exports.get = function (req, res) { res.end(numbers.every((n) => n >= 0 && n < 1) && new Set(numbers).size === 3 ? 'fresh' : 'stale'); };
`,
  isolations: ALL_WALLS,
  requests: [{}, {}],
  expect: { status: 200, body: /^fresh$/ },
};
