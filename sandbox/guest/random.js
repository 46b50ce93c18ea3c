// `Math` of one request: the shared functions, and a `random` of its own (xoshiro128**, seeded from outside), so that no
// request can tell what another one drew. Not for secrets: those come from `crypto`.
(function random(kit) {
  'use strict';
  const { Math, MathImul } = kit.p;
  const rotate = (value, bits) => (value << bits) | (value >>> (32 - bits));

  return function createMath(seedA, seedB) {
    let a = seedA | 0;
    let b = seedB | 0;
    let c = MathImul(seedA ^ (seedB >>> 3), 0x85ebca6b);
    let d = MathImul(seedB ^ (seedA >>> 5), 0xc2b2ae35) | 1;
    const next = () => {
      const result = MathImul(rotate(MathImul(b, 5), 7), 9);
      const t = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= t;
      d = rotate(d, 11);
      return result >>> 0;
    };
    return {
      __proto__: Math,
      random: () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992,
    };
  };
});
