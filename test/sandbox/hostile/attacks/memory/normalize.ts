// U+FDFA is the worst of Unicode.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'normalize that makes eighteen characters of one',
  source: String.raw`
module.exports.get = function (req, res) { res.end(String('\ufdfa'.repeat(2e7).normalize('NFKD').length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
