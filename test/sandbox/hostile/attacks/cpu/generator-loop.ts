// Spread asks until it is done.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a generator that yields for ever',
  source: `
module.exports.get = function (req, res) { const forever = function* () { for (;;) yield; }; res.end(String([...forever()].length)); };
`,
  policy: BOMB,
  expect: STARVED,
};
