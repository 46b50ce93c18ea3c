// The same hole through shared memory.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a growable SharedArrayBuffer',
  source: `
module.exports.get = function (req, res) {
  const shared = new SharedArrayBuffer(1, { maxByteLength: 1 << 30 });
  shared.grow(1 << 30);
  new Uint8Array(shared).fill(1);
  res.end('took 1 GB '.padEnd(200, '!'));
};
`,
  policy: BOMB,
  expect: STARVED,
};
