// Concurrency is bounded, what waits in the queue is bounded, the rest is told to come again.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'forty requests at once to an endpoint that waits',
  source: `
module.exports.get = function (req, res) { setTimeout(() => res.end('ok'), 300); };
`,
  policy: { version: 1, limits: { cpuMs: 200, wallMs: 1500, concurrency: 2 } },
  requests: Array.from({ length: 40 }, () => ({})),
  atOnce: true,
  expect: { codes: ['ENDPOINT_BUSY'], orBytes: 10 },
};
