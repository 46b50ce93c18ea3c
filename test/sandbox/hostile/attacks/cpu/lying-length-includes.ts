// Native code that the engine cannot interrupt: only a kill ends it.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'includes on a lying length',
  source: `
module.exports.get = function (req, res) { res.end(String(Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1))); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
