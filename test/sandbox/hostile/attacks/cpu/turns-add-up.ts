// CPU is counted over all turns of a request.
import { type Attack, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'many turns, each much shorter than the limit',
  // A turn lasts for as many milliseconds as it ran in: one that the machine stalls for uses no CPU.
  source: `
module.exports.get = async function (req, res) {
  for (let n = 0; n < 19; n += 1) {
    for (let seen = 0, last = 0; seen < 12; ) {
      const now = Date.now();
      if (now !== last) { last = now; seen += 1; }
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  res.end('done');
};
`,
  policy: { version: 1, limits: { cpuMs: 100, wallMs: 10_000 } },
  expect: TIMEOUT,
};
