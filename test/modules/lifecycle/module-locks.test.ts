import { describe, expect, it } from 'vitest';
import { createModuleLocks } from '../../../src/modules/lifecycle/module-locks.ts';
import { endpoint, hook } from '../open-modules.ts';

describe('module locks', () => {
  it('run changes of one module one after the other, beside changes of other modules and of paths', async () => {
    const locks = createModuleLocks();
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const changes = [
      locks.withModule(endpoint('a'), () => first.promise.then(() => void order.push('first'))),
      locks.withModule(endpoint('a'), async () => void order.push('second')),
    ];
    await locks.withModule(hook('a'), async () => void order.push('other module'));
    await locks.withPaths(async () => void order.push('paths'));
    first.resolve();
    await Promise.all(changes);
    expect(order).toEqual(['other module', 'paths', 'first', 'second']);
  });
});
