import { describe, expect, it } from 'vitest';
import { loadModuleStates } from '../../src/modules/versions/module-records.ts';
import type { Incident } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { ALICE, BOB } from '../helpers/fixtures/actors.ts';
import { openFailingStore } from '../helpers/store/temporary-store.ts';
import { code, endpoint, loadedModules } from './open-modules.ts';

const REPORT = endpoint('report');
const kill: Incident = { moduleId: 'endpoint:1.0/report', version: 1, kind: 'kill', limit: 'hostMemory' };
const violation: Incident = { ...kill, kind: 'violation', limit: 'responseBytes' };
const exhaustion: Incident = { ...violation, limit: 'heapMb', counts: true };
const START = Date.parse('2040-01-01T00:00:00Z');

async function posted() {
  let at = START;
  const opened = await loadedModules({ now: () => at });
  await opened.modules.postCode(REPORT, code({}, 'one'), ALICE);
  const live = () => opened.modules.registry.get(REPORT);
  const advance = (ms: number) => {
    at += ms;
  };
  return { ...opened, live, advance };
}

describe('the circuit breaker', () => {
  it('suspends a module at its third kill or crash in five minutes', async () => {
    const { modules, live, audited, stopped } = await posted();
    modules.onIncident(kill);
    modules.onIncident({ ...kill, kind: 'crash' });
    expect(live()?.state).toBe('active');
    modules.onIncident(kill);
    expect(live()).toMatchObject({ state: 'suspended', suspension: { by: 'breaker', at: START } });
    expect(stopped).toEqual(['endpoint:1.0/report']);
    await expect
      .poll(async () => (await audited()).map(([action]) => action))
      .toEqual(['endpoint.create', 'host.killed', 'host.crashed', 'host.killed', 'endpoint.breaker']);
  });

  it('counts the loss of an isolate like an end of a process', async () => {
    const { modules, live, audited, stopped, store } = await posted();
    modules.onIncident(exhaustion);
    expect(live()?.moduleVersion?.policy.trustDomain).toBe('own:endpoint:1.0/report');
    modules.onIncident(exhaustion);
    modules.onIncident({ ...exhaustion, counts: false });
    expect(live()?.state).toBe('active');
    modules.onIncident(exhaustion);
    expect(live()).toMatchObject({ state: 'suspended', suspension: { by: 'breaker', at: START } });
    expect(stopped).toEqual(['endpoint:1.0/report']);
    const lost = ['run.violation', '/1.0/report#heapMb'];
    await expect
      .poll(async () => (await audited()).slice(1).map(([action, target]) => [action, target]))
      .toEqual([lost, lost, lost, lost, ['endpoint.breaker', '/1.0/report']]);
    modules.onIncident(exhaustion);
    modules.onIncident(exhaustion);
    expect(await audited(), 'of a suspended module they are only counted').toHaveLength(6);
    const [state] = await loadModuleStates({ store, now: Date.now, queryMs: 60_000 });
    expect(state?.violations.map(({ kind, limit }) => `${kind} ${limit}`)).toContain('violation heapMb');
  });

  it('ignores ends of processes older than five minutes', async () => {
    const { modules, live, advance } = await posted();
    modules.onIncident(kill);
    advance(150_000);
    modules.onIncident(kill);
    advance(150_000);
    modules.onIncident(kill);
    expect(live()?.state).toBe('active');
    advance(149_999);
    modules.onIncident(kill);
    expect(live()?.state).toBe('suspended');
  });

  it('does not count violations, nor ends that the module need not have caused', async () => {
    const { modules, live, audited } = await posted();
    for (let count = 0; count < 9; count += 1) modules.onIncident(violation);
    for (let count = 0; count < 9; count += 1)
      modules.onIncident({ ...kill, limit: 'process', counts: false });
    modules.onIncident({ ...kill, moduleId: 'endpoint:1.0/other' });
    modules.onIncident({ ...kill, moduleId: null, limit: 'start', counts: false });
    expect(live()).toMatchObject({ state: 'active', moduleVersion: { policy: { trustDomain: 'default' } } });
    await expect
      .poll(async () => (await audited()).map(([, target]) => target))
      .toEqual([
        ...['/1.0/report', '/1.0/report#responseBytes', '/1.0/report#process'],
        ...['/1.0/other#hostMemory', 'sandbox#start'],
      ]);
  });

  it('counts against the name: ends of older code, and of code posted before its predecessor ended', async () => {
    const { modules, live } = await posted();
    const [sha256] = [live()!.moduleVersion!.sha256];
    for (let version = 1; version <= 3; version += 1) {
      expect(live()?.state).toBe('active');
      await modules.postCode(REPORT, code({}, 'one'), ALICE);
      modules.onIncident({ ...kill, version, sha256 });
      expect(live()?.moduleVersion?.policy.trustDomain, 'the same code is in quarantine').toBe(
        `own:${kill.moduleId}`,
      );
    }
    expect(live()?.state).toBe('suspended');
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    expect(live()?.state, 'the same code lifts nothing').toBe('suspended');
    await modules.rollback(REPORT, 1, ALICE);
    expect(live()?.state, 'nor does a roll back to it').toBe('suspended');
    await modules.remove(REPORT, ALICE);
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    expect(live()?.state, 'nor a removal').toBe('suspended');
    await modules.postCode(REPORT, code({}, 'other'), ALICE);
    expect(live()).toMatchObject({ state: 'active', moduleVersion: { policy: { trustDomain: 'default' } } });
  });

  it('lifts its own suspension for new code, never that of an admin, and resets its count for an admin only', async () => {
    const { modules, live, advance } = await posted();
    for (let count = 0; count < 3; count += 1) modules.onIncident(kill);
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    expect(live()?.state).toBe('active');
    modules.onIncident(kill);
    expect(live()?.state, 'what the old code still ends').toBe('active');
    modules.onIncident({ ...kill, version: 2 });
    expect(live()?.state, 'it is the fourth of this name').toBe('suspended');
    await modules.suspend(REPORT, ALICE);
    await modules.postCode(REPORT, code({}, 'three'), ALICE);
    expect(live()).toMatchObject({ state: 'suspended', suspension: { by: 'admin' } });
    await modules.resume(REPORT, BOB);
    expect(live()?.state).toBe('active');
    modules.onIncident({ ...kill, version: 3 });
    advance(1);
    modules.onIncident({ ...kill, version: 3 });
    expect(live()?.state).toBe('active');
  });

  it('keeps a module suspended across a restart until an admin resumes it', async () => {
    const opened = await posted();
    for (let count = 0; count < 3; count += 1) opened.modules.onIncident(kill);
    const { modules, audited } = await opened.restart();
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'suspended', suspension: { by: 'breaker' } });
    await modules.resume(REPORT, BOB);
    expect(modules.registry.get(REPORT)?.state).toBe('active');
    expect((await audited()).at(-1)).toEqual(['endpoint.resume', '/1.0/report', 'bob']);
  });
});

describe('quarantine', () => {
  it('is stored when the store is back, and logged as lost where it does not come back', async () => {
    const store = await openFailingStore();
    const first = await loadedModules({ store });
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    store.fail();
    for (let count = 0; count < 3; count += 1) first.modules.onIncident(kill);
    await expect.poll(() => store.failed).toContain('find');
    store.recover();
    const states = () => loadModuleStates({ store, now: Date.now, queryMs: 60_000 });
    await expect.poll(async () => (await states())[0]?.suspendedBy).toBe('breaker');
    store.fail();
    first.modules.onIncident(violation);
    await first.close();
    expect(first.errors.map(({ message }) => message)).toContain('could not store module state');
  });

  it('runs code that ended a process in a process of its own until new code is posted', async () => {
    const opened = await posted();
    const domain = (modules = opened.modules) =>
      modules.registry.get(REPORT)?.moduleVersion?.policy.trustDomain;
    opened.modules.onIncident(violation);
    expect(domain()).toBe('default');
    const before = opened.live()?.moduleVersion;
    opened.modules.onIncident(kill);
    expect(domain()).toBe('own:endpoint:1.0/report');
    expect(opened.live()?.moduleVersion).not.toBe(before);
    const next = await opened.restart();
    expect(domain(next.modules)).toBe('own:endpoint:1.0/report');
    await next.modules.postCode(REPORT, code({}, 'two'), ALICE);
    expect(domain(next.modules)).toBe('default');
  });
});

describe('the audit log of incidents', () => {
  it('contains in order what happened while the store was unavailable', async () => {
    const store = await openFailingStore();
    const { modules, audited } = await loadedModules({ store });
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    store.fail();
    for (let count = 0; count < 3; count += 1) modules.onIncident({ ...kill, limit: `kill ${count}` });
    await expect.poll(() => store.failed.length).toBeGreaterThan(3);
    store.recover();
    const ends = ['#kill 0', '#kill 1', '#kill 2', ''];
    const targets = async () => (await audited()).slice(1).map(([, target]) => target);
    await expect.poll(targets).toEqual(ends.map((end) => `/1.0/report${end}`));
  });

  it('counts the violations of a module instead of listing thousands', async () => {
    const { modules, audited, advance } = await posted();
    const targets = async () =>
      (await audited()).filter(([action]) => action === 'run.violation').map(([, target]) => target);
    for (let count = 0; count < 500; count += 1) modules.onIncident(violation);
    await expect.poll(targets).toEqual(['/1.0/report#responseBytes']);
    advance(60_000);
    for (let count = 0; count < 500; count += 1) {
      modules.onIncident({ ...violation, limit: `limit ${count}` });
    }
    await expect.poll(async () => (await targets()).length).toBe(62);
    expect((await targets())[1]).toBe('/1.0/report#responseBytes (499 more since 2040-01-01T00:00:00.000Z)');
  });

  it('contains at the end what was only counted', async () => {
    const opened = await posted();
    for (let count = 0; count < 3; count += 1) opened.modules.onIncident({ ...kill, counts: false });
    const { audited } = await opened.restart();
    expect((await audited()).map(([, target]) => target).slice(1)).toEqual([
      '/1.0/report#hostMemory',
      '/1.0/report#hostMemory (2 more since 2040-01-01T00:00:00.000Z)',
    ]);
  });

  it('counts the ends of processes of a suspended module', async () => {
    const opened = await posted();
    for (let count = 0; count < 6; count += 1) opened.modules.onIncident(kill);
    const { audited } = await opened.restart();
    const ends = (await audited()).filter(([action]) => action === 'host.killed').map(([, target]) => target);
    const end = '/1.0/report#hostMemory';
    expect(ends).toEqual([end, end, end, end, `${end} (2 more since 2040-01-01T00:00:00.000Z)`]);
  });

  it('contains every end of a process until the module is suspended', async () => {
    const { modules, audited } = await posted();
    for (let count = 0; count < 100; count += 1) {
      modules.onIncident({ ...violation, limit: `limit ${count}` });
    }
    for (let count = 0; count < 9; count += 1) modules.onIncident(kill);
    const actions = async () => (await audited()).map(([action]) => action);
    await expect.poll(async () => (await actions()).at(-1)).toBe('endpoint.breaker');
    expect((await actions()).filter((action) => action === 'host.killed')).toHaveLength(3);
  });
});
