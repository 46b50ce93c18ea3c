// Where each request has an isolate of its own, an exhausted one ends no process; the module is stopped all the same.
import { ALL_WALLS, type Attack, type Ending } from '../../attack.ts';

const EXHAUSTED: Ending = { codes: ['ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] };

export const attack: Attack = {
  title: 'a heap that is exhausted again and again',
  source: `
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return res.end('ok');
  const all = [];
  for (;;) all.push(new Array(1000).fill(all.length));
};
`,
  isolations: ALL_WALLS,
  policy: { version: 1, limits: { heapMb: 16 } },
  requests: [{}, ...Array(3).fill({ path: '?do=hide' }), {}, {}],
  expect: [
    { status: 200, body: 'ok' },
    ...Array(3).fill(EXHAUSTED),
    { codes: ['ENDPOINT_SUSPENDED'] },
    { codes: ['ENDPOINT_SUSPENDED'] },
  ],
};
