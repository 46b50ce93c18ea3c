import { describe, expect, it } from 'vitest';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';
import { openFailingStore } from '../../helpers/store/temporary-store.ts';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';

describe('loading modules while the store is unavailable', () => {
  it('can be repeated without a trace', async () => {
    const store = await openFailingStore();
    const first = await loadedModules({ store });
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    await first.close();
    const second = await openModules({ store, root: first.root });
    await second.write('hooks/slugify.js', code({ methods: [] }));
    for (const operation of ['ensureIndexes', 'find'] as const) {
      store.fail('timeout', [operation]);
      await expect(second.modules.load()).rejects.toMatchObject({ reason: 'timeout' });
    }
    store.recover();
    await second.modules.load();
    expect(second.modules.registry.list().map(({ path, state }) => [path, state])).toEqual([
      ['/1.0/report', 'active'],
      ['/api/hooks/slugify', 'active'],
    ]);
    expect(second.inspected).toHaveLength(1);
    await second.write(FILE, code({}, 'two'));
    await expect.poll(() => second.modules.source(REPORT)).toBe(code({}, 'two'));
  });

  it('inspects code again that could not be stored', async () => {
    const store = await openFailingStore();
    const { modules, write, errors } = await openModules({
      store,
      sandbox: {
        evict: () => {},
        stop: async () => {},
        inspect: async () => {
          if (store.failed.length === 0) store.fail('unavailable', ['commit']);
          return acceptedInspection();
        },
      },
      pause: async () => {
        expect(modules.registry.get(REPORT)?.state).toBe('broken');
        store.recover();
      },
    });
    await write(FILE, code());
    await modules.load();
    expect(store.failed).toEqual(['commit']);
    expect(modules.registry.get(REPORT)?.state).toBe('active');
    expect(await modules.versions(REPORT)).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('changes nothing when the server closes first', async () => {
    const store = await openFailingStore();
    const { modules, write, close, audited } = await openModules({ store });
    await write('endpoints/1.0/endpoint.other.js', code());
    store.fail();
    await expect(modules.load()).rejects.toMatchObject({ reason: 'unavailable' });
    await write(FILE, code());
    await close();
    store.recover();
    expect(await audited()).toEqual([]);
  });
});
