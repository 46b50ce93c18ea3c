// It exists in modules only, and posted code is none.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'import.meta',
  source: `
module.exports.get = function (req, res) { res.end(String(import.meta.url)); };
`,
  expect: { refused: ['ENDPOINT_SYNTAX'] },
};
