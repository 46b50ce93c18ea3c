// The first one wins, the others do nothing.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a million ends',
  source: `
module.exports.get = function (req, res) { res.end('first'); for (let n = 0; n < 1e4; n += 1) { try { res.end('again'); res.json({}); res.write('x'); } catch {} } };
`,
  policy: { version: 1, limits: PATIENT },
  expect: { status: 200, body: 'first' },
};
