// Counters of registers and slots overflow.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'sixty thousand locals',
  source: `${Array.from({ length: 60_000 }, (_, n) => `var v${n};`).join('')}module.exports.get = function (req, res) { res.end('ok'); };`,
  expect: { codes: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'], orBytes: 10 },
};
