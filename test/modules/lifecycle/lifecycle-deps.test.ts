import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../src/lib/async/keyed-mutex.ts';
import { moduleAuditEntry, withModuleLock } from '../../../src/modules/lifecycle/lifecycle-deps.ts';
import { endpoint, hook } from '../open-modules.ts';

describe('entryOf', () => {
  it('names the kind of module and its path', () => {
    const rest = { clientId: 'alice', before: null, after: 'a' };
    expect(moduleAuditEntry({ address: endpoint('report'), action: 'create', ...rest })).toEqual({
      ...{ action: 'endpoint.create', target: '/1.0/report', ...rest },
    });
    expect(moduleAuditEntry({ address: hook('slugify'), action: 'remove', ...rest })).toEqual({
      ...{ action: 'hook.remove', target: '/api/hooks/slugify', ...rest },
    });
  });
});

describe('inTurn', () => {
  it('lets changes of one module wait for each other, not for those of another', async () => {
    const core = { queue: createKeyedMutex() };
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const one = withModuleLock(core, endpoint('a'), () => first.promise.then(() => void order.push('a1')));
    const two = withModuleLock(core, endpoint('a'), async () => void order.push('a2'));
    await withModuleLock(core, hook('a'), async () => void order.push('hook'));
    first.resolve();
    await Promise.all([one, two]);
    expect(order).toEqual(['hook', 'a1', 'a2']);
  });
});
