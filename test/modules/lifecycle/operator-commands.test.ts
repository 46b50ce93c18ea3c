import { describe, expect, it } from 'vitest';
import {
  applyOperatorCommands,
  deleteCommandWrite,
  loadOperatorCommands,
  storeOperatorCommand,
} from '../../../src/modules/lifecycle/operator-commands.ts';
import { initialModuleState } from '../../../src/modules/versions/module-records.ts';
import { auditOf } from '../../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';
import { endpoint, hook } from '../open-modules.ts';

const KEY = 'endpoint:1.0/report';

async function open() {
  const { store } = await openTemporaryStore();
  const options = { store, now: Date.now, queryMs: 5000 };
  const audit = auditOf(options.store);
  const give = (action: 'suspend' | 'resume', address = endpoint('report')) =>
    storeOperatorCommand({ ...options, audit }, address, { action, sha256: null });
  return { store, give, orders: () => loadOperatorCommands(options), entries: () => audit.read(0, 10) };
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

  it('are deleted only if no newer one has replaced them', async () => {
    const { store, give, orders } = await open();
    await give('suspend');
    const [first] = await orders();
    await give('resume');
    await expect(store.commit([deleteCommandWrite(first!)], {})).rejects.toMatchObject({
      reason: 'conflict',
    });
    const [second] = await orders();
    await store.commit([deleteCommandWrite(second!)], {});
    expect(await orders()).toEqual([]);
  });

  it('are applied to states before a server has carried them out', () => {
    const order = { key: KEY, action: 'suspend', at: 7, id: 'x', v: 1 } as const;
    expect(applyOperatorCommands([], [order])).toMatchObject([
      { key: KEY, suspendedBy: 'operator', suspendedAt: 7 },
    ]);
    const [state] = applyOperatorCommands(
      [{ ...initialModuleState(KEY), suspendedBy: 'admin' }],
      [{ ...order, action: 'resume' }],
    );
    expect(state?.suspendedBy).toBeNull();
  });
});
