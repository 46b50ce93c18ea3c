import { describe, expect, it } from 'vitest';
import type { AuditAction } from '../../../src/auth/audit.ts';
import { inTurn, note } from '../../../src/endpoints/modules/core.ts';
import { createKeyedQueue } from '../../../src/lib/keyed-queue.ts';
import { endpoint, hook } from './modules.ts';

describe('note', () => {
  it('names the kind of module and its path', async () => {
    const recorded: AuditAction[] = [];
    const audit = { record: async (action: AuditAction) => void recorded.push(action) };
    const rest = { clientId: 'alice', before: null, after: 'a' };
    await note({ audit }, { address: endpoint('report'), action: 'create', ...rest });
    await note({ audit }, { address: hook('slugify'), action: 'remove', ...rest });
    expect(recorded).toEqual([
      { action: 'endpoint.create', target: '/1.0/report', ...rest },
      { action: 'hook.remove', target: '/api/hooks/slugify', ...rest },
    ]);
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
