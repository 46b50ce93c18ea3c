// Resolution would go on for ever.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'thenables that resolve to thenables',
  source: `
module.exports.get = async function (req, res) { const again = { then(ok) { ok(again); } }; return again; };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
