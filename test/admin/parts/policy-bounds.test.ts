// The upper bounds of a policy that the operator sets, as the admin page applies them.
import { describe, expect, it } from 'vitest';
import {
  boundedPolicy,
  fetchBounds,
  limitBound,
  numberProps,
  resultsBound,
} from '../../../admin/src/parts/modules/policy/bounds.ts';
import { roundsOf } from '../../../admin/src/parts/modules/policy/words.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { createPolicyParser } from '../../../src/modules/policy/policy.ts';
import {
  loadPolicyLimits,
  type PolicyLimits,
  showPolicyLimits,
} from '../../../src/modules/policy/policy-limits.ts';

const packaged = await loadPolicyLimits(new URL('sandbox/', packageRoot()));
const operator: PolicyLimits = {
  ...packaged,
  limits: { ...packaged.limits, cpuMs: 400, perMinute: 60 },
  grants: {
    ...packaged.grants,
    collections: [
      { name: '1.0/library/*', actions: ['find', 'count'], as: 'caller', maxResults: 50 },
      { name: '1.0/library/books', actions: ['find'], as: 'client:*', maxResults: 500 },
    ],
    bcrypt: { maxRounds: 10 },
    fetch: [{ origin: 'https://*', methods: ['GET'], paths: ['/'], maxBytes: 1000, timeoutMs: 200 }],
  },
};
const limits = showPolicyLimits(operator);
const books = { name: '1.0/library/books', actions: ['find'] };
const api = { origin: 'https://api.example.com' };

describe('the bounds of a policy', () => {
  it('are those of the operator, of what a grant names', () => {
    expect([limitBound(limits, 'cpuMs'), limitBound(limits, 'perMinute')]).toEqual([400, 60]);
    expect(limitBound(showPolicyLimits(packaged), 'perMinute')).toBeUndefined();
    expect(resultsBound(limits, books)).toBe(50);
    expect(resultsBound(limits, { ...books, as: 'client:editor' })).toBe(500);
    expect(resultsBound(limits, { ...books, name: '1.0/other/books' })).toBeUndefined();
    expect(fetchBounds(limits, api)).toEqual({ maxBytes: 1000, timeoutMs: 200 });
    expect(fetchBounds(limits, { origin: 'http://api.example.com' })).toBeUndefined();
  });

  it('give the numbers that hold at the server', async () => {
    const policy = {
      limits: { wallMs: 900 },
      grants: { collections: [books], fetch: [api], bcrypt: {} },
    };
    const parser = createPolicyParser({ policyLimits: operator, jsonBytes: 1000 });
    const ofRounds = { grants: { bcrypt: { maxRounds: 8 } } };
    for (const given of [{}, policy, ofRounds]) {
      const { limits: held, grants } = (await parser.parse(given)).resolve('endpoint:1.0/a', false);
      const shown = boundedPolicy(given, limits);
      expect(shown.limits).toEqual(held);
      expect(roundsOf(shown)).toBe(grants.bcrypt.maxRounds);
      const maxima = (list: readonly { maxResults?: number }[] = []) =>
        list.map(({ maxResults }) => maxResults);
      expect(maxima(shown.grants?.collections)).toEqual(maxima(grants.collections));
      expect(shown.grants?.fetch).toMatchObject(
        grants.fetch.map(({ origin, maxBytes, timeoutMs }) => ({ origin, maxBytes, timeoutMs })),
      );
    }
  });

  it('are said at each number, and what is above one is marked', () => {
    const field = { value: undefined, usual: 1000, bound: 400, error: undefined };
    expect(numberProps(field)).toMatchObject({
      description: 'When empty: 400. At most 400, as the operator says',
      max: 400,
      error: undefined,
    });
    expect(numberProps({ ...field, value: 401 }).error).toBe('The operator allows at most 400');
    expect(numberProps({ ...field, value: 401, error: 'of the server' }).error).toBe('of the server');
    expect(numberProps({ ...field, usual: Number.POSITIVE_INFINITY, bound: undefined })).toMatchObject({
      description: 'When empty: no bound',
    });
    expect(numberProps({ ...field, usual: 'as much as there is' }).description).toBe(
      'When empty: as much as there is. At most 400, as the operator says',
    );
  });
});
