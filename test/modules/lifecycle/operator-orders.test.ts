import { describe, expect, it } from 'vitest';
import {
  applyOperatorOrders,
  deleteOrderWrite,
  loadOperatorOrders,
  storeOperatorOrder,
} from '../../../src/modules/lifecycle/operator-orders.ts';
import { initialModuleState } from '../../../src/modules/versions/module-records.ts';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';
import { auditOf } from '../../helpers/store/audit-log.ts';
import { openFailingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';
import { code, endpoint, hook, loadedModules, type Opened, openModules } from '../open-modules.ts';

const KEY = 'endpoint:1.0/report';

async function open() {
  const { store } = await openTemporaryStore();
  const options = { store, now: Date.now, queryMs: 60_000 };
  const audit = auditOf(options.store);
  const give = (action: 'suspend' | 'resume', address = endpoint('report')) =>
    storeOperatorOrder({ ...options, audit }, address, { action, sha256: null });
  return { store, give, orders: () => loadOperatorOrders(options), entries: () => audit.read(0, 10) };
}

describe('operator orders', () => {
  it('wait in the database, the newest of each module, with an audit entry each', async () => {
    const { give, orders, entries } = await open();
    await give('suspend');
    await give('suspend', hook('slug'));
    await give('resume');
    const found = (await orders()).map(({ key, action, v }) => [key, action, v]).sort();
    expect(found).toEqual([
      [KEY, 'resume', 2],
      ['hook:slug', 'suspend', 1],
    ]);
    expect((await entries()).map(({ action, target, clientId }) => [action, target, clientId])).toEqual([
      ['endpoint.suspend', '/1.0/report', null],
      ['hook.suspend', '/api/hooks/slug', null],
      ['endpoint.resume', '/1.0/report', null],
    ]);
  });

  it('that no server would have written are passed over', async () => {
    const { store, give, orders } = await open();
    await give('suspend');
    const ns = { database: null, collection: 'cloister.moduleOrders' };
    const odd = [
      { key: 5, action: 'suspend' },
      { key: 'report', action: 'suspend' },
      { key: KEY, action: 'go' },
    ];
    for (const [at, order] of odd.entries()) {
      const document = { _id: `${at}`.repeat(24), v: 1, at: 1, ...order };
      await store.commit([{ kind: 'insert', ns, document }]);
    }
    expect((await orders()).map(({ key, action }) => [key, action])).toEqual([[KEY, 'suspend']]);
  });

  it('are deleted only if no newer one has replaced them', async () => {
    const { store, give, orders } = await open();
    await give('suspend');
    const [first] = await orders();
    await give('resume');
    await expect(store.commit([deleteOrderWrite(first!)], {})).rejects.toMatchObject({
      reason: 'conflict',
    });
    const [second] = await orders();
    await store.commit([deleteOrderWrite(second!)], {});
    expect(await orders()).toEqual([]);
  });

  it('are applied to states before a server has carried them out', () => {
    const order = { key: KEY, action: 'suspend', at: 7, id: 'x', v: 1 } as const;
    expect(applyOperatorOrders([], [order])).toMatchObject([
      { key: KEY, suspendedBy: 'operator', suspendedAt: 7 },
    ]);
    const [state] = applyOperatorOrders(
      [{ ...initialModuleState(KEY), suspendedBy: 'admin' }],
      [{ ...order, action: 'resume' }],
    );
    expect(state?.suspendedBy).toBeNull();
  });
});

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';

const optionsOf = ({ store }: Pick<Opened, 'store'>) => ({ store, now: Date.now, queryMs: 60_000 });

async function order(opened: Opened, action: 'suspend' | 'resume', address = REPORT) {
  const options = optionsOf(opened);
  const audit = auditOf(options.store);
  await storeOperatorOrder({ ...options, audit }, address, { action, sha256: null });
}

const liveIn = ({ modules }: Opened) => modules.registry.get(REPORT);

/** A sandbox whose inspections wait while it is held. */
function holdableSandbox() {
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  const sandbox = {
    inspect: async () => {
      if (isHeld) await released.promise;
      return acceptedInspection({ methods: [] });
    },
    evict: () => undefined,
    stop: async () => undefined,
  };
  const hold = () => {
    isHeld = true;
  };
  return { sandbox, hold, release: () => released.resolve() };
}

describe('the watch of operator orders', () => {
  it('carries orders out, stores the result, and deletes them', async () => {
    const opened = await loadedModules();
    await opened.modules.postCode(REPORT, code(), ALICE);
    await order(opened, 'suspend');
    await opened.modules.pollOrders();
    expect(liveIn(opened)).toMatchObject({
      state: 'suspended',
      suspension: { by: 'operator', clientId: null },
    });
    expect(opened.stopped).toContain('endpoint:1.0/report');
    expect(await loadOperatorOrders(optionsOf(opened))).toEqual([]);
    const next = await opened.restart();
    expect(liveIn(next)?.state).toBe('suspended');
    await order(next, 'resume');
    await next.modules.pollOrders();
    expect(liveIn(next)?.state).toBe('active');
  });

  it('keeps admins from lifting a suspension of the operator', async () => {
    const opened = await loadedModules();
    const { modules } = opened;
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, ALICE);
    await order(opened, 'suspend');
    await modules.pollOrders();
    const refusal = { code: 'SUSPENDED_BY_OPERATOR', status: 403 };
    await expect(modules.resume(REPORT, ALICE)).rejects.toMatchObject(refusal);
    await modules.remove(REPORT, ALICE);
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    await expect(modules.resume(REPORT, ALICE)).rejects.toMatchObject(refusal);
    expect(liveIn(opened)).toMatchObject({ state: 'suspended', suspension: { by: 'operator' } });
  });

  it('keeps a suspension that arrives while an admin lifts another', async () => {
    const opened = await loadedModules();
    const { modules } = opened;
    await modules.postCode(REPORT, code(), ALICE);
    await modules.suspend(REPORT, ALICE);
    await order(opened, 'suspend');
    await Promise.all([modules.resume(REPORT, ALICE).catch(() => undefined), modules.pollOrders()]);
    expect(liveIn(opened)).toMatchObject({ state: 'suspended', suspension: { by: 'operator' } });
    expect((await opened.restart()).modules.registry.get(REPORT)?.state).toBe('suspended');
  });

  it('applies orders at once while another change of the module is under way', async () => {
    const { sandbox, hold, release } = holdableSandbox();
    const opened = await loadedModules({ sandbox });
    const { modules } = opened;
    const other = endpoint('other');
    await modules.postCode(other, code(), ALICE);
    await modules.postCode(REPORT, code(), ALICE);
    hold();
    const posting = modules.postCode(other, code({}, 'two'), ALICE);
    await order(opened, 'suspend', other);
    const first = modules.pollOrders();
    await expect.poll(() => modules.registry.get(other)?.state).toBe('suspended');
    await order(opened, 'suspend');
    // By the watch itself: it does not wait for what is stored later.
    await expect.poll(() => liveIn(opened)?.state).toBe('suspended');
    release();
    await Promise.all([posting, first]);
    expect(modules.registry.get(other)?.state).toBe('suspended');
  });

  it('polls every second', async () => {
    const opened = await loadedModules();
    await opened.modules.postCode(REPORT, code(), ALICE);
    await order(opened, 'suspend');
    await expect.poll(() => liveIn(opened)?.state).toBe('suspended');
  });

  it('finds at startup orders that were given while no server ran, also for unknown code', async () => {
    const first = await loadedModules();
    await first.close();
    await first.write(FILE, code());
    await order(first, 'suspend');
    const next = await first.restart();
    expect(liveIn(next)).toMatchObject({ state: 'suspended', suspension: { by: 'operator' } });
  });

  it('keeps suspended modules from running while a start still inspects other code', async () => {
    const { sandbox, hold, release } = holdableSandbox();
    const first = await loadedModules({ sandbox });
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.close();
    await order(first, 'suspend');
    await first.write('endpoints/1.0/endpoint.other.js', code());
    const { store, root } = first;
    const next = await openModules({ sandbox, store, root });
    hold();
    const loading = next.modules.load();
    await expect.poll(() => liveIn(next)?.state).toBeDefined();
    expect(liveIn(next)?.state).toBe('suspended');
    release();
    await loading;
  });

  it('applies orders while the database takes no writes', async () => {
    const store = await openFailingStore();
    const opened = await loadedModules({ store });
    await opened.modules.postCode(REPORT, code(), ALICE);
    await order(opened, 'suspend');
    store.fail('busy', ['commit']);
    await expect(opened.modules.pollOrders()).rejects.toMatchObject({ reason: 'busy' });
    expect(liveIn(opened)?.state).toBe('suspended');
    store.recover();
    await opened.modules.pollOrders();
    expect(await loadOperatorOrders(optionsOf(opened))).toEqual([]);
  });
});
