// They lie outside the heap and are counted by the allocator.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'array buffers',
  source: `
module.exports.get = function (req, res) { const all = []; for (;;) all.push(new ArrayBuffer(8 << 20)); };
`,
  policy: BOMB,
  expect: STARVED,
};
