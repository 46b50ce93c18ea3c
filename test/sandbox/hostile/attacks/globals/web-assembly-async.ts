// Its continuation once burned a core for ever after the answer.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'WebAssembly.compile and a loop behind it',
  source: `
module.exports.get = function (req, res) { WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => { for (;;); }); res.end('ok'); };
`,
  expect: { codes: ['ENDPOINT_ERROR'] },
};
