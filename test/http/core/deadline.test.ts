import { expect, test } from 'vitest';
import { createRequestDeadline } from '../../../src/http/core/deadline.ts';

test('is counted from the moment it is asked for, less what the look-up of the caller took', () => {
  const state = { now: 1000 };
  const config = { limits: { queryMs: 500 } } as Parameters<typeof createRequestDeadline>[0]['config'];
  const deadline = createRequestDeadline({ config, now: () => state.now });
  const request = (lookUpMs: number) => ({ lookUpMs }) as Parameters<typeof deadline>[0];
  expect(deadline(request(0))).toBe(1500);
  state.now = 2000;
  expect(deadline(request(120))).toBe(2380);
});
