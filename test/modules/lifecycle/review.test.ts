import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { requiresReview } from '../../../src/modules/lifecycle/review.ts';
import { createPolicyParser } from '../../../src/modules/policy/policy.ts';
import { loadPolicyLimits } from '../../../src/modules/policy/policy-limits.ts';
import { ALICE, BOB, CAROL, DORA } from '../../helpers/fixtures/actors.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };

describe('requiresReview', () => {
  it('depends on the mode and on the privileges of the policy', async () => {
    const ceilings = await loadPolicyLimits(new URL('sandbox/', packageRoot()));
    const reader = createPolicyParser({
      policyLimits: ceilings,
      jsonBytes: 1,
    });
    const weak = await reader.parse({ limits: { cpuMs: 50 }, grants: { collections: [], response: {} } });
    const strong = await reader.parse({ grants });
    const modes = ['none', 'grants', 'all'] as const;
    expect(modes.map((mode) => requiresReview(mode, reader.empty))).toEqual([false, false, true]);
    expect(modes.map((mode) => requiresReview(mode, weak))).toEqual([false, false, true]);
    expect(modes.map((mode) => requiresReview(mode, strong))).toEqual([false, true, true]);
  });
});

describe('review of all code', () => {
  it('keeps a new endpoint pending until a reviewer approves it', async () => {
    const { modules, read, audited } = await loadedModules({ review: 'all' });
    expect(await modules.postCode(REPORT, code(), ALICE)).toMatchObject({
      created: true,
      version: 1,
      pending: true,
    });
    expect(modules.registry.match('/1.0/report')?.endpoint).toMatchObject({ state: 'pending', methods: [] });
    expect(await read(FILE)).toBeUndefined();
    expect(() => modules.source(REPORT)).toThrow('No version is approved yet');
    expect(await modules.versionSource(REPORT, 1)).toBe(code());
    expect(modules.policy(REPORT)).toEqual({ version: 1, code: { pending: [1] } });

    await expect(modules.approve(REPORT, 1, ALICE)).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
    });
    await expect(modules.approve(REPORT, 2, BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await modules.approve(REPORT, 1, BOB);
    expect(modules.registry.get(REPORT)).toMatchObject({
      state: 'active',
      postedBy: 'alice',
      moduleVersion: { version: 1 },
    });
    expect(await read(FILE)).toBe(code());
    await expect(modules.approve(REPORT, 1, BOB)).rejects.toMatchObject({ code: 'VERSION_NOT_PENDING' });
    expect(await audited()).toEqual([
      ['endpoint.propose', '/1.0/report', 'alice'],
      ['endpoint.approve', '/1.0/report', 'bob'],
    ]);
  });

  it('leaves the old code active meanwhile, also across a restart', async () => {
    const first = await loadedModules({ review: 'all' });
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    await first.modules.approve(REPORT, 1, BOB);
    await first.modules.postCode(REPORT, code({}, 'two'), ALICE);
    await first.modules.postCode(endpoint('other'), code(), ALICE);
    const { modules } = await first.restart();
    expect(modules.source(REPORT)).toBe(code({}, 'one'));
    expect(modules.registry.get(endpoint('other'))?.state).toBe('pending');
    await modules.postCode(REPORT, code({}, 'three'), ALICE);
    await modules.approve(REPORT, 3, BOB);
    expect(modules.source(REPORT)).toBe(code({}, 'three'));
    await expect(modules.approve(REPORT, 2, BOB)).rejects.toMatchObject({ code: 'VERSION_NOT_PENDING' });
  });

  it('lets approved code be rolled back without another review', async () => {
    const { modules } = await loadedModules({ review: 'all' });
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    await modules.approve(REPORT, 1, BOB);
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    expect(await modules.rollback(REPORT, 1, ALICE)).toMatchObject({ version: 3, pending: false });
    expect(await modules.rollback(REPORT, 2, ALICE)).toMatchObject({ version: 4, pending: true });
    expect(modules.source(REPORT)).toBe(code({}, 'one'));
  });

  it('checks paths again when code is approved', async () => {
    const { modules } = await loadedModules({ review: 'all' });
    await modules.postCode(endpoint('a'), code({ route: '/1.0/x/:y' }), ALICE);
    await modules.postCode(endpoint('b'), code({ route: '/1.0/x/:z' }), ALICE);
    await modules.approve(endpoint('a'), 1, BOB);
    await expect(modules.approve(endpoint('b'), 1, BOB)).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
    });
    expect(modules.registry.get(endpoint('b'))?.state).toBe('pending');
  });

  it('does not apply to code in files', async () => {
    const first = await loadedModules({ review: 'all' });
    await first.close();
    await first.write(FILE, code());
    const { modules } = await first.restart();
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', postedBy: null });
  });

  it('lets no reviewer approve code that they posted under another name', async () => {
    const { modules } = await loadedModules({ review: 'all' });
    await modules.postCode(endpoint('draft'), code(), BOB);
    await modules.remove(endpoint('draft'), BOB);
    await modules.postCode(REPORT, code(), ALICE);
    await expect(modules.approve(REPORT, 1, BOB)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' });
    await modules.approve(REPORT, 1, CAROL);
    // Who only put a policy on the same code did not write it.
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, DORA);
    await modules.postCode(endpoint('copy'), code(), ALICE);
    await modules.approve(endpoint('copy'), 1, DORA);
  });

  it('drops pending versions when the endpoint is removed', async () => {
    const { modules } = await loadedModules({ review: 'all' });
    await modules.postCode(REPORT, code(), ALICE);
    await modules.remove(REPORT, ALICE);
    expect(modules.registry.get(REPORT)).toBeUndefined();
    await modules.postCode(REPORT, code(), ALICE);
    await expect(modules.approve(REPORT, 1, BOB)).rejects.toMatchObject({ code: 'VERSION_NOT_PENDING' });
    await modules.approve(REPORT, 2, BOB);
  });
});

describe('review of grants', () => {
  it('applies to code with grants and to policies that add them', async () => {
    const { modules, read } = await loadedModules({ review: 'grants' });
    const granted = () => modules.registry.get(REPORT)?.moduleVersion?.policy.grants.collections.length;
    expect(await modules.postCode(REPORT, code({}, 'one'), ALICE)).toMatchObject({ pending: false });
    expect(await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE)).toEqual({
      version: 1,
      limits: { cpuMs: 50 },
      code: { sha256: expect.any(String) },
    });

    // Code that came in without grants must not get them behind the reviewer's back.
    expect(await modules.putPolicy(REPORT, { grants }, ALICE)).toMatchObject({
      limits: { cpuMs: 50 },
      code: { pending: [2] },
    });
    expect(granted()).toBe(0);
    expect(await read('endpoints/1.0/endpoint.report.policy.json')).not.toContain('library');
    await expect(modules.approve(REPORT, 2, ALICE)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' });
    await modules.approve(REPORT, 2, BOB);
    expect(granted()).toBe(1);
    expect(await read('endpoints/1.0/endpoint.report.policy.json')).toContain('library');
    expect(modules.policy(REPORT)).toMatchObject({
      grants,
      code: { approvedBy: 'client:bob', approvedAt: expect.stringMatching(/^20.*Z$/) },
    });

    expect(await modules.postCode(REPORT, code({}, 'two'), ALICE)).toMatchObject({
      version: 3,
      pending: true,
    });
    expect(modules.source(REPORT)).toBe(code({}, 'one'));
    expect(await modules.putPolicy(REPORT, {}, ALICE)).toMatchObject({ code: { pending: [3] } });
    expect(granted()).toBe(0);
    expect((await modules.versions(REPORT)).map(({ part }) => part)).toEqual(['code', 'policy', 'code']);
  });

  it('writes the hashes of code and policy before and after to the audit log', async () => {
    const { modules, entries, read } = await loadedModules({ review: 'grants' });
    const file = 'endpoints/1.0/endpoint.report.policy.json';
    const hashOf = async (name: string) => sha256Hex((await read(name)) ?? '');
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    const before = await hashOf(file);
    await modules.putPolicy(REPORT, { grants }, ALICE);
    await modules.approve(REPORT, 2, BOB);
    const sha256 = sha256Hex(code());
    const hashes = { before: sha256, after: sha256, policy: { before, after: await hashOf(file) } };
    expect((await entries()).slice(-2)).toMatchObject([
      { action: 'endpoint.propose', clientId: 'alice', ...hashes },
      { action: 'endpoint.approve', clientId: 'bob', ...hashes },
    ]);
    expect(before).not.toBe(hashes.policy.after);
  });

  it('checks a policy against the policy limits at its approval', async () => {
    const first = await loadedModules({ review: 'grants' });
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.putPolicy(REPORT, { grants }, ALICE);
    const ceilings = await loadPolicyLimits(new URL('sandbox/', packageRoot()));
    const lower = { ...ceilings, grants: { ...ceilings.grants, collections: [] } };
    const { modules } = await first.restart({ ceilings: lower });
    await expect(modules.approve(REPORT, 2, BOB)).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', moduleVersion: { version: 1 } });
  });
});
