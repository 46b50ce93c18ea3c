// Allowed by the engine's limit.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'one string of 536 MB, flattened',
  source: `
module.exports.get = function (req, res) { const text = 'x'.repeat(536870000); res.end(String(text.charCodeAt(text.length - 1) + text.lastIndexOf('y')).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
