// Nothing may be delivered to a request that is over.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'timers after res.end',
  source: `
module.exports.get = function (req, res) { res.end('ok'); setTimeout(() => { for (;;); }, 1); setInterval(() => { for (;;); }, 1); };
`,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'ok' },
};
