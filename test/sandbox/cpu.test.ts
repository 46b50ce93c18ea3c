import { expect, it } from 'vitest';
import { cpu } from '../../sandbox/cpu.js';

it('the processor time of a host counts milliseconds in which its thread ran', () => {
  const from = { wall: performance.now(), cpu: cpu() };
  let seen = 0;
  for (let last = 0; seen < 50; ) {
    const now = Date.now();
    if (now !== last) seen += 1;
    last = now;
  }
  const used = cpu() - from.cpu;
  // It ran in at least fifty milliseconds, of each of which it had some part.
  expect(used).toBeGreaterThan(1);
  expect(used).toBeLessThan(performance.now() - from.wall + 1);
});
