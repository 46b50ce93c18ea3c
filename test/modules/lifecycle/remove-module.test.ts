import { describe, expect, it } from 'vitest';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

describe('removing a module', () => {
  it('removes code, policy and log, and keeps the versions', async () => {
    const { modules, read, audited, retired } = await loadedModules();
    await modules.postCode(REPORT, code(), 'alice');
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, 'alice');
    const version = modules.registry.get(REPORT)?.moduleVersion;
    modules.log(version!, 'r1', { level: 'info', message: 'hello' });
    await modules.suspend(REPORT, 'alice');
    retired.length = 0;
    await modules.remove(REPORT, 'bob');
    expect(modules.registry.match('/1.0/report')).toBeUndefined();
    expect([await read(FILE), await read(POLICY)]).toEqual([undefined, undefined]);
    expect(retired).toEqual(['endpoint:1.0/report']);
    modules.log(version!, 'r2', { level: 'info', message: 'too late' });
    expect(await modules.versions(REPORT)).toMatchObject([{ version: 1, clientId: 'alice', active: false }]);
    await expect(modules.remove(REPORT, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await audited()).at(-1)).toEqual(['endpoint.remove', '/1.0/report', 'bob']);

    expect(await modules.postCode(REPORT, code(), 'carol')).toMatchObject({ created: true, version: 2 });
    expect(modules.registry.get(REPORT)?.state, 'a removal lifts no suspension').toBe('suspended');
    await modules.resume(REPORT, 'bob');
    expect(modules.registry.get(REPORT)?.state).toBe('active');
    expect(modules.policy(REPORT)).toEqual({ version: 1 });
    expect(modules.logs(REPORT, { limit: 10, after: 0 })).toEqual([]);
    expect((await modules.versions(REPORT)).map(({ clientId }) => clientId)).toEqual(['alice', 'carol']);
  });
});
