import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { ALICE, BOB, CAROL } from '../../helpers/fixtures/actors.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';
import { openFailingStore } from '../../helpers/store/temporary-store.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

describe('suspending a module', () => {
  it('is possible while it waits for its first approval, and lifts none', async () => {
    const { modules, audited } = await loadedModules({ review: 'all' });
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, BOB);
    await modules.resume(REPORT, BOB);
    expect(modules.registry.get(REPORT)?.state).toBe('pending');
    expect((await audited()).slice(-2).map(([action]) => action)).toEqual([
      'endpoint.suspend',
      'endpoint.resume',
    ]);
  });

  it('stops it at once, across restarts, and writes the audit log', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code(), ALICE);
    const sha256 = first.modules.registry.get(REPORT)?.moduleVersion?.sha256;
    await first.modules.suspend(REPORT, BOB);
    expect(first.modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      suspension: { by: 'admin', clientId: 'bob', at: expect.any(Number) },
    });
    expect(first.stopped).toContain('endpoint:1.0/report');
    await first.modules.suspend(REPORT, BOB);
    const { modules, audited } = await first.restart();
    expect(modules.registry.get(REPORT)?.state).toBe('suspended');
    await modules.resume(REPORT, CAROL);
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', moduleVersion: { sha256 } });
    expect((await audited()).map(([action, , by]) => [action, by])).toEqual([
      ['endpoint.create', 'alice'],
      ['endpoint.suspend', 'bob'],
      ['endpoint.suspend', 'bob'],
      ['endpoint.resume', 'carol'],
    ]);
    await expect(modules.suspend(endpoint('other'), BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('does not wait for another change of the module', async () => {
    const inspected = Promise.withResolvers<void>();
    let isSlow = false;
    const slow = {
      inspect: async () => {
        if (isSlow) await inspected.promise;
        return acceptedInspection({ methods: [] });
      },
      evict: () => undefined,
      stop: async () => undefined,
    };
    const { modules } = await loadedModules({ sandbox: slow });
    await modules.postCode(REPORT, code(), ALICE);
    isSlow = true;
    const replacing = modules.postCode(REPORT, code({}, 'two'), ALICE);
    const suspending = modules.suspend(REPORT, BOB);
    expect(modules.registry.get(REPORT)?.state).toBe('suspended');
    inspected.resolve();
    await Promise.all([replacing, suspending]);
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'suspended', moduleVersion: { version: 2 } });
  });

  it('blocks names that differ only by case, also after a removal', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, BOB);
    await modules.remove(REPORT, ALICE);
    await expect(modules.postCode(endpoint('REPORT'), code(), ALICE)).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    });
  });

  it('survives new code, a rollback, a policy, a removal and a file of the author', async () => {
    const opened = await loadedModules();
    const { modules } = opened;
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, BOB);
    const state = () => modules.registry.get(REPORT)?.state;
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    await modules.rollback(REPORT, 1, ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    expect(state()).toBe('suspended');
    await modules.remove(REPORT, ALICE);
    await modules.postCode(REPORT, code({}, 'three'), ALICE);
    expect(state()).toBe('suspended');
    await modules.remove(REPORT, ALICE);
    await opened.close();
    await opened.write(FILE, code({}, 'four'));
    const next = await opened.restart();
    expect(next.modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      suspension: { by: 'admin', clientId: 'bob' },
    });
  });

  it('holds when another admin resumes the module at the same time', async () => {
    const first = await loadedModules();
    const { modules } = first;
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, ALICE);
    await Promise.all([modules.resume(REPORT, ALICE), modules.suspend(REPORT, BOB)]);
    expect(modules.registry.get(REPORT)).toMatchObject({ suspension: { clientId: 'bob' } });
    expect((await first.restart()).modules.registry.get(REPORT)?.state).toBe('suspended');
  });

  it('works while the database is unavailable', async () => {
    const { modules, store } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    await store.close();
    await expect(modules.suspend(REPORT, BOB)).rejects.toBeInstanceOf(StoreError);
    expect(modules.registry.get(REPORT)?.state).toBe('suspended');
  });

  it('is stored with its audit entry when the database is back', async () => {
    const store = await openFailingStore();
    const first = await loadedModules({ store });
    await first.modules.postCode(REPORT, code(), ALICE);
    store.fail('busy', ['commit']);
    await expect(first.modules.suspend(REPORT, BOB)).rejects.toMatchObject({ reason: 'busy' });
    store.recover();
    const { modules, audited } = await first.restart();
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'suspended', suspension: { by: 'admin' } });
    expect((await audited()).at(-1)).toEqual(['endpoint.suspend', '/1.0/report', 'bob']);
  });
});

describe('removing a module', () => {
  it('removes code, policy and log, and keeps the versions', async () => {
    const { modules, read, audited, retired } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    const version = modules.registry.get(REPORT)?.moduleVersion;
    modules.log(version!, 'r1', { level: 'info', message: 'hello' });
    await modules.suspend(REPORT, ALICE);
    retired.length = 0;
    await modules.remove(REPORT, BOB);
    expect(modules.registry.match('/1.0/report')).toBeUndefined();
    expect([await read(FILE), await read(POLICY)]).toEqual([undefined, undefined]);
    expect(retired).toEqual(['endpoint:1.0/report']);
    modules.log(version!, 'r2', { level: 'info', message: 'too late' });
    expect(await modules.versions(REPORT)).toMatchObject([{ version: 1, clientId: 'alice', active: false }]);
    await expect(modules.remove(REPORT, BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await audited()).at(-1)).toEqual(['endpoint.remove', '/1.0/report', 'bob']);

    expect(await modules.postCode(REPORT, code(), CAROL)).toMatchObject({ created: true, version: 2 });
    expect(modules.registry.get(REPORT)?.state, 'a removal lifts no suspension').toBe('suspended');
    await modules.resume(REPORT, BOB);
    expect(modules.registry.get(REPORT)?.state).toBe('active');
    expect(modules.policy(REPORT)).toEqual({ version: 1 });
    expect(modules.logs(REPORT, { limit: 10, after: 0 })).toEqual([]);
    expect((await modules.versions(REPORT)).map(({ clientId }) => clientId)).toEqual(['alice', 'carol']);
  });
});
