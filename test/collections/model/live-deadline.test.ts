import { expect, it } from 'vitest';
import { type Caller, withLiveDeadline } from '../../../src/collections/model/documents.ts';

const caller = {} as Caller;

it('a request with a live deadline computes it at each read, and a copy has the one of that moment', () => {
  let at = 1;
  const request = withLiveDeadline({ caller, callDepth: 2 }, () => at);
  expect([request.deadline, request.callDepth]).toEqual([1, 2]);
  at = 5;
  const copy = { ...request };
  at = 9;
  expect([request.deadline, copy]).toEqual([9, { caller, callDepth: 2, deadline: 5 }]);
  const longer = withLiveDeadline(request, () => request.deadline + 1);
  at = 20;
  expect([longer.deadline, longer.caller]).toEqual([21, caller]);
});
