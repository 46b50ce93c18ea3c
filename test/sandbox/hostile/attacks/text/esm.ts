// It must be refused with a word about CommonJS.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'ES module syntax',
  source: `
export default function (req, res) { res.end('ok'); }
`,
  expect: { refused: ['ENDPOINT_SYNTAX'] },
};
