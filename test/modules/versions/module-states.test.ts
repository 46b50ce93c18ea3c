import { describe, expect, it } from 'vitest';
import { createModuleRegistry } from '../../../src/modules/model/module-registry.ts';
import { createPolicyParser } from '../../../src/modules/policy/policy.ts';
import { initialModuleState, type VersionRecord } from '../../../src/modules/versions/module-records.ts';
import {
  createModuleLocks,
  createModuleStates,
  type ModuleEntry,
} from '../../../src/modules/versions/module-states.ts';
import { soleCoordination } from '../../helpers/store/coordination.ts';
import { collectionsNamed, endpoint, hook, packaged } from '../open-modules.ts';

const KEY = 'endpoint:1.0/report';
const policies = createPolicyParser({
  policyLimits: packaged,
  jsonBytes: 1,
});
const metadata = { methods: ['GET'], authenticate: ['PUT'], displayName: 'R', route: '/1.0/r/:x' };
const active = {
  version: 2,
  sha256: 'a',
  clientId: 'alice',
  createdAt: 7,
  metadata,
} as unknown as VersionRecord;
const held: ModuleEntry = {
  address: endpoint('report'),
  state: { ...initialModuleState(KEY), active, last: 2 },
  policy: policies.empty,
  source: 'text',
  fileErrors: {},
};

function open() {
  const registry = createModuleRegistry(collectionsNamed([]));
  const retired: string[] = [];
  const stopped: string[] = [];
  const shelf = createModuleStates({
    registry,
    retire: (id) => void retired.push(id),
    stop: (id) => void stopped.push(id),
  });
  const live = () => registry.get(held.address);
  return { registry, shelf, retired, stopped, live };
}

describe('module states', () => {
  it('publish the live module', () => {
    const { registry, shelf, live, retired } = open();
    shelf.put(held);
    expect(live()).toEqual({
      address: held.address,
      path: '/1.0/r/:x',
      state: 'active',
      methods: ['GET'],
      authenticate: ['PUT'],
      displayName: 'R',
      postedBy: 'alice',
      postedAt: 7,
      moduleVersion: {
        id: KEY,
        kind: 'endpoint',
        version: 2,
        sha256: 'a',
        source: 'text',
        policy: policies.empty.resolve(KEY, false),
      },
    });
    expect(registry.match('/1.0/r/5')?.params['x']).toBe('5');
    expect(retired).toEqual([]);
  });

  it('keep the module version while code and policy stay, and evict it when they change', async () => {
    const { shelf, live, retired, stopped } = open();
    shelf.put(held);
    const before = live();
    const moduleVersion = before?.moduleVersion;
    shelf.setState({ ...held.state, pending: [3], last: 3 });
    expect(live()).toBe(before);
    expect(shelf.getState(KEY).last).toBe(3);
    expect(retired).toEqual([]);
    shelf.setState({ ...held.state, suspendedBy: 'admin' });
    expect(live()?.moduleVersion).toBe(moduleVersion);
    expect([retired, stopped]).toEqual([[], [KEY]]);
    shelf.setState({ ...held.state, suspendedBy: 'admin', last: 4 });
    expect([retired, stopped]).toEqual([[], [KEY]]);
    shelf.put({ ...held, policy: await policies.parse({}) });
    expect(live()?.moduleVersion).not.toBe(moduleVersion);
    shelf.setState({ ...held.state, quarantined: true });
    expect(live()?.moduleVersion?.policy.trustDomain).toBe(`own:${KEY}`);
    expect(retired).toHaveLength(2);
  });

  it.each([
    ['broken', { ...held, fileErrors: { policy: 'odd' } }],
    ['broken', { ...held, fileErrors: { code: 'odd' } }],
    ['pending', { ...held, source: undefined, state: { ...held.state, active: null, pending: [1] } }],
  ] as const)('publish no module version while it is %s', (state, one) => {
    const { registry, shelf, live } = open();
    shelf.put(one);
    expect(live()).toMatchObject({ state, methods: [], authenticate: true, path: '/1.0/report' });
    expect(live()?.moduleVersion).toBeUndefined();
    expect(registry.match('/1.0/r/5')).toBeUndefined();
  });

  it('keep the state of removed modules', () => {
    const { shelf, live, retired } = open();
    expect(shelf.getState(KEY)).toEqual(initialModuleState(KEY));
    shelf.put(held);
    const gone = { ...held.state, active: null, removedAt: 2 };
    shelf.remove(gone);
    shelf.remove(gone);
    expect([live(), shelf.get(KEY), [...shelf.all()]]).toEqual([undefined, undefined, []]);
    expect(shelf.getState(KEY)).toBe(gone);
    expect(retired).toEqual([KEY]);
    shelf.setState({ ...gone, last: 5 });
    expect(shelf.getState(KEY).last).toBe(5);
    expect(live()).toBeUndefined();
  });
});

describe('module locks', () => {
  it('run changes of one module one after the other, beside changes of other modules and of paths', async () => {
    const locks = createModuleLocks(soleCoordination());
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
