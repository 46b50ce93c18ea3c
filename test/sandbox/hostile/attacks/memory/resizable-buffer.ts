// Growth by resize is not counted by any limit of the engine: 1 GB in one call, and success.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a resizable ArrayBuffer',
  source: `
module.exports.get = function (req, res) {
  const all = [];
  for (let n = 0; n < 64; n += 1) {
    const buffer = new ArrayBuffer(1, { maxByteLength: 1 << 30 });
    buffer.resize(1 << 30);
    new Uint8Array(buffer).fill(1);
    all.push(buffer);
  }
  res.end('took ' + all.length + ' GB '.padEnd(200, '!'));
};
`,
  policy: BOMB,
  expect: STARVED,
};
