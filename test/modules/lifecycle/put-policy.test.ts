import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { ALICE, BOB } from '../../helpers/fixtures/actors.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

async function posted() {
  const opened = await loadedModules();
  await opened.modules.postCode(REPORT, code(), ALICE);
  opened.retired.length = 0;
  return { ...opened, live: () => opened.modules.registry.get(REPORT) };
}

describe('putting a policy', () => {
  it('activates it, writes its file and the audit log', async () => {
    const { modules, live, read, retired, audited } = await posted();
    const before = live()?.moduleVersion;
    const policy = { limits: { cpuMs: 50 }, isolation: 'context' };
    const shown = { version: 1, ...policy, code: { sha256: sha256Hex(code()) } };
    expect(await modules.putPolicy(REPORT, policy, BOB)).toEqual(shown);
    expect(modules.policy(REPORT)).toEqual(shown);
    expect(live()?.moduleVersion).not.toBe(before);
    expect(live()?.moduleVersion).toMatchObject({
      version: 1,
      policy: { isolation: 'context', limits: { cpuMs: 50 } },
    });
    expect(retired).toEqual(['endpoint:1.0/report']);
    expect(JSON.parse((await read(POLICY)) ?? '')).toEqual({ version: 1, ...policy });
    expect((await audited()).at(-1)).toEqual(['endpoint.policy', '/1.0/report', 'bob']);
  });

  it('changes nothing when the policy is invalid', async () => {
    const { modules, live, read, audited } = await posted();
    const before = live();
    await expect(modules.putPolicy(REPORT, { limits: { cpuMs: 1e9 } }, BOB)).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      items: [{ field: 'limits.cpuMs' }],
    });
    expect(live()).toBe(before);
    expect(await read(POLICY)).toBeUndefined();
    expect(await audited()).toHaveLength(1);
  });

  it('fails without a module', async () => {
    const { modules } = await posted();
    await expect(modules.putPolicy(endpoint('other'), {}, BOB)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('that needs a review is refused while the code in the file is broken', async () => {
    const first = await loadedModules({ review: 'grants' });
    await first.close();
    await first.write('endpoints/1.0/endpoint.report.js', 'syntax');
    const { modules, read } = await first.restart();
    expect(modules.registry.get(REPORT)?.state).toBe('broken');
    const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };
    await expect(modules.putPolicy(REPORT, { grants }, BOB)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Its code is broken: post code first',
    });
    expect(await read(POLICY)).toBeUndefined();
  });

  it('applies to code that is posted later', async () => {
    const { modules, live } = await posted();
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, BOB);
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    expect(live()?.moduleVersion?.policy.limits.cpuMs).toBe(50);
  });
});

describe('the policy of a module without one', () => {
  it('is shown as its format version alone', async () => {
    const { modules } = await posted();
    expect(modules.policy(REPORT)).toEqual({ version: 1 });
  });
});
