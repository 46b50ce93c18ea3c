// Requests of one endpoint interleave while they wait; each must keep its own caller.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'two callers in one isolate while one waits',
  source: `
let mine;
module.exports.get = async function (req, res) {
  mine = req.url;
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  res.end(mine === req.url ? 'same' : 'mixed');
};
`,
  requests: [{ path: '?a' }, { path: '?b' }, { path: '?c' }, { path: '?d' }],
  atOnce: true,
  expect: { status: 200, body: 'same' },
};
