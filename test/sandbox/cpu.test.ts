import { expect, it } from 'vitest';
import { cpu } from '../../sandbox/cpu.js';

it('the processor time of a host counts milliseconds in which its thread ran', () => {
  // Ends only if it goes on while the thread works.
  const from = { wall: performance.now(), cpu: cpu(), all: process.cpuUsage() };
  while (cpu() - from.cpu < 20);
  const used = cpu() - from.cpu;
  // It ran no longer than the wall clock says, and no longer than all threads of the process.
  const { user, system } = process.cpuUsage(from.all);
  expect(used).toBeLessThan(Math.min(performance.now() - from.wall, (user + system) / 1000) + 1);
});
