import { describe, expect, it } from 'vitest';
import { cpuMsOf, residentBytesOf } from '../../src/sandbox-supervisor/process-usage.ts';

describe('the usage of a process', () => {
  it('includes its CPU time', () => {
    const used = process.cpuUsage();
    const expected = (used.user + used.system) / 1000;
    expect(Math.abs((cpuMsOf(process.pid) ?? 0) - expected)).toBeLessThan(200);
  });

  it('includes its memory', () => {
    const expected = process.memoryUsage().rss;
    const found = residentBytesOf(process.pid) ?? 0;
    expect(found).toBeGreaterThan(expected * 0.8);
    expect(found).toBeLessThan(expected * 1.2);
  });
});

describe('the usage of a process that does not exist', () => {
  it('is unknown', () => {
    expect([cpuMsOf(2 ** 30), residentBytesOf(2 ** 30)]).toEqual([null, null]);
  });
});
