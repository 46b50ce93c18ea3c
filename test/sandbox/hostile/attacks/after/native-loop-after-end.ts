// Only a kill ends it; the answer may be gone or not, the next request must work.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a native loop after res.end',
  source: `
module.exports.get = function (req, res) { res.end('ok'); Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_CRASHED'], orBytes: 10 },
};
