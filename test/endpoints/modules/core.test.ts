import { describe, expect, it } from 'vitest';
import { entryOf, inTurn } from '../../../src/endpoints/modules/core.ts';
import { createKeyedQueue } from '../../../src/lib/keyed-queue.ts';
import { endpoint, hook } from './modules.ts';

describe('entryOf', () => {
  it('names the kind of module and its path', () => {
    const rest = { clientId: 'alice', before: null, after: 'a' };
    expect(entryOf({ address: endpoint('report'), action: 'create', ...rest })).toEqual({
      ...{ action: 'endpoint.create', target: '/1.0/report', ...rest },
    });
    expect(entryOf({ address: hook('slugify'), action: 'remove', ...rest })).toEqual({
      ...{ action: 'hook.remove', target: '/api/hooks/slugify', ...rest },
    });
  });
});

describe('inTurn', () => {
  it('lets changes of one module wait for each other, not for those of another', async () => {
    const core = { queue: createKeyedQueue() };
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const one = inTurn(core, endpoint('a'), () => first.promise.then(() => void order.push('a1')));
    const two = inTurn(core, endpoint('a'), async () => void order.push('a2'));
    await inTurn(core, hook('a'), async () => void order.push('hook'));
    first.resolve();
    await Promise.all([one, two]);
    expect(order).toEqual(['hook', 'a1', 'a2']);
  });
});
