// The host takes an answer in on the same stack: there it may end in the middle.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an answer of half a megabyte from wherever the stack ends',
  source: `
const large = '\\u4e2d'.repeat(500_000);
module.exports.get = function (req, res) {
  let deepest = 0;
  const fill = function (depth) {
    deepest = depth;
    try { fill(depth + 1); } catch {}
    if (depth > deepest - 40) res.end(large);
  };
  fill(0);
};
`,
  isolations: ALL_WALLS,
  requests: Array.from({ length: 3 }, () => ({})),
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'], orBytes: 600_000 },
};
