// Hashing happens outside the isolate: what crosses must be capped first.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a digest of hundreds of megabytes',
  source: `
module.exports.get = async function (req, res) {
  const all = [];
  for (let n = 0; n < 20; n += 1) all.push(crypto.subtle.digest('SHA-512', new Uint8Array(20 << 20)));
  await Promise.all(all);
  res.end('x'.repeat(200));
};
`,
  policy: BOMB,
  expect: STARVED,
};
