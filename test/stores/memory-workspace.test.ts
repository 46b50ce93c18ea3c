import { expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../src/stores/memory-workspace.ts';

it('a workspace in memory is read, written and listed as one on disk is', async () => {
  const workspace = createMemoryWorkspace(new Map([['hooks/a.js', 'é']]));
  await workspace.write('endpoints/1.0/endpoint.b.js', 'x');
  const any = { maxBytes: 2, followLinks: true };
  expect(await workspace.read('hooks/a.js', any)).toEqual({ state: 'bytes', bytes: Buffer.from('é') });
  expect(await workspace.read('hooks/a.js', { ...any, maxBytes: 1 })).toMatchObject({ reason: 'too-long' });
  expect(await workspace.read('hooks/none.js', any)).toEqual({ state: 'absent' });
  expect(await workspace.list('endpoints', 1)).toEqual(['endpoints/1.0/endpoint.b.js']);
  expect(await workspace.list('endpoints', 0)).toEqual([]);
  expect(await workspace.listAll('endpoints', 1)).toEqual(['endpoints/1.0/endpoint.b.js']);
  await workspace.remove('hooks/a.js');
  expect(await workspace.listAll('hooks', 3)).toEqual([]);
  const end = await workspace.watch('hooks', {
    depth: 0,
    expected: () => [],
    onFile: () => undefined,
    onError: () => undefined,
  });
  await end();
});
