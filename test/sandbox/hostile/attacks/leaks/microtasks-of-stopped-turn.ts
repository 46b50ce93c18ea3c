// They would run in the next request's turn, with its time.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'microtasks of a turn that was stopped',
  source: `
module.exports.get = function (req, res) {
  if (!req.url.endsWith('stop')) return res.end('none');
  for (let n = 0; n < 1000; n += 1) Promise.resolve().then(() => { res.end('of another request'); for (;;); });
  for (;;);
};
`,
  isolations: ALL_WALLS,
  policy: { version: 1, limits: { cpuMs: 500, wallMs: 3000 } },
  requests: [{ path: '?stop' }, {}, {}],
  expect: [{ codes: ['ENDPOINT_TIMEOUT'] }, { status: 200, body: 'none' }, { status: 200, body: 'none' }],
};
