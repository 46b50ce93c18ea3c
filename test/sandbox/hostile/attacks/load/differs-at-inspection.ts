// What passed the inspection is still not trusted.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'code that behaves until it is called',
  source: `
const now = Date.now();
module.exports.get = function (req, res) { for (;;); };
module.exports.config = () => ({ route: undefined });
`,
  policy: BOMB,
  expect: TIMEOUT,
};
