// A helper of ours must not multiply what it is given.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'structuredClone that doubles',
  source: `
module.exports.get = function (req, res) { let tree = [1]; for (;;) tree = [structuredClone(tree), structuredClone(tree)]; };
`,
  policy: BOMB,
  expect: STARVED,
};
