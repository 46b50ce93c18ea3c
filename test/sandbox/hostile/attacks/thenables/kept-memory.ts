// What waits to be called is alive: with it, the memory of one request would be missing to those beside it.
import type { Attack } from '../../attack.ts';
import { HIDDEN, HIDE, LOOK, lookingAll, SECRET, WARM_UP } from '../../late/look.ts';

const attackOf = (title: string, held: string, how: { megabytes?: number; arrays?: number }): Attack => {
  return {
    title,
    source: `
${LOOK}
const held = (n) => ${held};
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  res.end('hidden');
  const again = { held: held('x'), then(resolve) { resolve(again); } };
  return again;
};
`,
    policy: { version: 1, limits: { cpuMs: 2000 } },
    warmUp: WARM_UP,
    // Those before and between them are quick: then the next one shares the entry of the one that keeps the memory.
    rounds: [
      [...lookingAll(8), HIDE, ...lookingAll(3, how), ...lookingAll(4)],
      [...lookingAll(4), HIDE, ...lookingAll(3, how)],
      lookingAll(2, how),
    ],
    secret: SECRET,
    endsHosts: true,
    expect: HIDDEN,
  };
};

export const attacks: Readonly<Record<string, Attack>> = {
  buffers: attackOf('a thenable that keeps forty megabytes', 'new Uint8Array(40e6).fill(1)', {
    megabytes: 35,
  }),
  arrays: attackOf(
    'a thenable that keeps a heap of fifty-four megabytes',
    'Array.from({ length: 54 }, () => new Array(131072).fill(n))',
    { arrays: 40 },
  ),
};
