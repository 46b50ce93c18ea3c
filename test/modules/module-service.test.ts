import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALICE } from '../helpers/fixtures/actors.ts';
import { code, endpoint, hook, loadedModules } from './open-modules.ts';

describe('the module service', () => {
  it('serves endpoints and hooks', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(endpoint('same'), code(), ALICE);
    await modules.postCode(endpoint('same', '2.0'), code(), ALICE);
    await modules.postCode(hook('same'), code(), ALICE);
    expect(modules.registry.list().map(({ path, moduleVersion }) => [path, moduleVersion?.id])).toEqual([
      ['/1.0/same', 'endpoint:1.0/same'],
      ['/2.0/same', 'endpoint:2.0/same'],
      ['/api/hooks/same', 'hook:same'],
    ]);
    expect(modules.registry.match('/api/hooks/same')).toBeUndefined();
  });

  it('keeps the log of each module', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(endpoint('report'), code(), ALICE);
    const moduleVersion = modules.registry.get(endpoint('report'))?.moduleVersion;
    modules.log(moduleVersion!, 'r1', { level: 'warn', message: 'hello' });
    expect(modules.logs(endpoint('report'), { limit: 10, after: 0 })).toMatchObject([
      { level: 'warn', message: 'hello', requestId: 'r1', version: 1 },
    ]);
  });

  it('does nothing before it is loaded, and can be closed then', async () => {
    const { root } = await loadedModules();
    const { openModules } = await import('./open-modules.ts');
    const { modules, close } = await openModules({ root });
    expect(modules.registry.list()).toEqual([]);
    await close();
  });

  it('applies edits that were made while it loaded', async () => {
    const opened = await loadedModules();
    await opened.modules.postCode(hook('one'), code(), ALICE);
    await opened.close();
    const { openModules } = await import('./open-modules.ts');
    const next = await openModules({ store: opened.store, root: opened.root });
    const loading = next.modules.load();
    await writeFile(join(opened.root, 'hooks/two.js'), code());
    await loading;
    await expect
      .poll(() => next.modules.registry.list().map(({ path }) => path))
      .toEqual(['/api/hooks/one', '/api/hooks/two']);
  });
});
