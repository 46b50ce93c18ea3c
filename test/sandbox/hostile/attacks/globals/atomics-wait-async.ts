// A continuation outside every clock.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'Atomics.waitAsync and a loop behind it',
  source: `
module.exports.get = function (req, res) { Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1).value.then(() => { for (;;); }); res.end('ok'); };
`,
  expect: { codes: ['ENDPOINT_ERROR'] },
};
