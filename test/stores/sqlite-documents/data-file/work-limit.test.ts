import { describe, expect, it } from 'vitest';
import {
  assertBeforeDeadline,
  createDeadlineLimit,
  createWorkLimit,
  WorkLimitExceeded,
} from '../../../../src/stores/sqlite-documents/data-file/work-limit.ts';

const spin = (times: number, work: () => void) => {
  for (let n = 0; n < times; n += 1) work();
};

describe('a work limit', () => {
  it('is exceeded by too much text', () => {
    const budget = createWorkLimit(1000, 100, () => 0);
    budget.tick(100);
    expect(() => budget.tick(1)).toThrow(WorkLimitExceeded);
  });

  it('is exceeded after its time, with a check of the clock every few ticks', () => {
    let time = 0;
    const budget = createWorkLimit(5, 100, () => time);
    spin(100, () => budget.tick(0));
    time = 6;
    expect(() => spin(100, () => budget.tick(0))).toThrow(WorkLimitExceeded);
  });
});

describe('a deadline', () => {
  it('is checked at the first tick and then every few ticks', () => {
    expect(() => createDeadlineLimit(10, () => 11).tick(0)).toThrow('timeout');
    let time = 0;
    const deadline = createDeadlineLimit(10, () => time);
    spin(1000, () => deadline.tick(0));
    time = 11;
    expect(() => spin(1000, () => deadline.tick(0))).toThrow('timeout');
  });

  it('may be absent', () => {
    spin(1000, () => createDeadlineLimit(undefined, () => Infinity).tick(0));
    assertBeforeDeadline(undefined, () => Infinity);
    expect(() => assertBeforeDeadline(1, () => 2)).toThrow('timeout');
  });
});
