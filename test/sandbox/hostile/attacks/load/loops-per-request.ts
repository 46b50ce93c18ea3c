// The body is evaluated for every request, under its clock.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a module body that is slow each time',
  // Quick enough for the inspection's clock, far too slow for the policy's. It counts the milliseconds in which it ran, not
  // those that passed: a machine that stalls must not do the work for it.
  source: `
for (let seen = 0, last = 0; seen < 100; ) {
  const now = Date.now();
  if (now !== last) { last = now; seen += 1; }
}
module.exports.get = function (req, res) { res.end('ok'); };
`,
  policy: { version: 1, limits: { cpuMs: 10, wallMs: 500, heapMb: 32 } },
  expect: { codes: ['ENDPOINT_TIMEOUT'] },
};
