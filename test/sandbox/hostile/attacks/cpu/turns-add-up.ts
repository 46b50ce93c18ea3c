// CPU is counted over all turns of a request.
import { type Attack, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'many turns, each a little shorter than the limit',
  source: `
module.exports.get = async function (req, res) {
  for (let n = 0; n < 15; n += 1) {
    const until = Date.now() + 40;
    while (Date.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  res.end('done');
};
`,
  policy: { version: 1, limits: { cpuMs: 100, wallMs: 3000 } },
  expect: TIMEOUT,
};
