import { expect, it } from 'vitest';
import { namespaceKey } from '../../src/stores/ports.ts';

it('namespace keys differ for names with slashes', () => {
  const inner = namespaceKey({ database: null, collection: 'a/b' });
  expect(namespaceKey({ database: 'a', collection: 'b' })).not.toBe(inner);
});
