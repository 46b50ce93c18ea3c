// Each makes a copy in another form.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'encoders and decoders of large texts',
  source: `
module.exports.get = function (req, res) {
  const all = [];
  for (;;) { const bytes = new TextEncoder().encode('é'.repeat(1e7)); all.push(bytes, new TextDecoder().decode(bytes), btoa('x'.repeat(1e7))); }
};
`,
  policy: BOMB,
  expect: STARVED,
};
