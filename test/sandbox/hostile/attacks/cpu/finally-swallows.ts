// Termination must not be catchable.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'try/finally that swallows the end',
  source: `
module.exports.get = function (req, res) { const again = () => { try { for (;;); } catch { again(); } finally { again(); } }; again(); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
