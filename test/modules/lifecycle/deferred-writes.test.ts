import { describe, expect, it } from 'vitest';
import type { AuditAction } from '../../../src/auth/audit/audit-entry.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { createDeferredWrites } from '../../../src/modules/lifecycle/deferred-writes.ts';
import { initialModuleState } from '../../../src/modules/versions/module-records.ts';
import { createModuleLocks } from '../../../src/modules/versions/module-states.ts';
import { soleCoordination } from '../../helpers/store/coordination.ts';
import { endpoint } from '../open-modules.ts';

const entry = (target: string): AuditAction => ({
  action: 'run.violation',
  target,
  actor: null,
  before: null,
  after: null,
});

/** Deferred writes to a store that rejects while `error` is set. */
function openWrites() {
  const store: { error: unknown } = { error: undefined };
  const saved: string[] = [];
  const recorded: string[] = [];
  const errors: object[] = [];
  const writes = createDeferredWrites({
    states: { getState: (key) => ({ ...initialModuleState(key), last: 1 }) },
    records: {
      saveState: async ({ key }) => {
        if (store.error !== undefined) throw store.error;
        saved.push(key);
      },
    },
    audit: {
      record: async (entries) => {
        if (store.error !== undefined) throw store.error;
        recorded.push(...[entries].flat().map(({ target }) => target));
      },
    },
    locks: createModuleLocks(soleCoordination()),
    log: { error: (fields) => void errors.push(fields) },
  });
  return { store, saved, recorded, errors, writes };
}

describe('deferred writes', () => {
  it('store each waiting state once, and audit entries in their order', async () => {
    const { writes, saved, recorded } = openWrites();
    writes.saveState(endpoint('a'));
    writes.saveState(endpoint('a'));
    for (const target of ['1', '2', '3']) writes.recordAudit(entry(target));
    await writes.flush();
    expect([saved, recorded]).toEqual([['endpoint:1.0/a'], ['1', '2', '3']]);
    await writes.close();
  });

  it('keep states and audit entries while the store is unavailable', async () => {
    const { store, writes, saved, recorded, errors } = openWrites();
    store.error = new StoreError('unavailable');
    writes.saveState(endpoint('a'));
    writes.recordAudit(entry('1'));
    await writes.flush();
    writes.recordAudit(entry('2'));
    store.error = undefined;
    await writes.close();
    expect([saved, recorded, errors]).toEqual([['endpoint:1.0/a'], ['1', '2'], []]);
  });

  it('log what cannot be stored before the server ends', async () => {
    const { store, writes, errors } = openWrites();
    store.error = new StoreError('unavailable');
    writes.saveState(endpoint('a'));
    writes.recordAudit(entry('1'));
    await writes.close();
    expect(errors).toHaveLength(2);
    expect(errors).toContainEqual({ err: store.error, module: 'endpoint:1.0/a' });
    expect(errors).toContainEqual({ err: store.error, entry: entry('1') });
  });
});
