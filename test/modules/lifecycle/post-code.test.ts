import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { ALICE, BOB } from '../../helpers/fixtures/actors.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';
import { code, endpoint, hook, loadedModules, type Opened, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

describe('posting an endpoint', () => {
  it('activates it, writes its file and the audit log', async () => {
    const { modules, read, audited, inspected } = await loadedModules();
    const source = code({
      methods: ['POST', 'GET'],
      settings: { authenticate: false, displayName: 'Report' },
    });
    expect(await modules.postCode(REPORT, source, ALICE)).toEqual({
      created: true,
      version: 1,
      pending: false,
      warnings: [],
      suggestedIsolation: null,
    });
    expect(modules.registry.match('/1.0/report')?.endpoint).toMatchObject({
      path: '/1.0/report',
      state: 'active',
      methods: ['GET', 'POST'],
      authenticate: false,
      displayName: 'Report',
      postedBy: 'alice',
      moduleVersion: {
        id: 'endpoint:1.0/report',
        kind: 'endpoint',
        version: 1,
        source,
        sha256: sha256Hex(source),
        policy: { isolation: 'realm', trustDomain: 'default' },
      },
    });
    expect(modules.source(REPORT)).toBe(source);
    expect(await read(FILE)).toBe(source);
    expect(await audited()).toEqual([['endpoint.create', '/1.0/report', 'alice']]);
    expect(inspected).toEqual([source]);
  });

  it('replaces it by a new module version, and keeps the old version', async () => {
    const { modules, retired } = await loadedModules();
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    const before = modules.registry.get(REPORT);
    const result = await modules.postCode(REPORT, code({}, 'two'), BOB);
    expect(result).toMatchObject({ created: false, version: 2 });
    expect(modules.registry.get(REPORT)?.moduleVersion).not.toBe(before?.moduleVersion);
    expect(retired).toEqual(['endpoint:1.0/report']);
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, clientId: 'alice', active: false, sha256: sha256Hex(code({}, 'one')) },
      { version: 2, clientId: 'bob', active: true },
    ]);
    expect(await modules.versionSource(REPORT, 1)).toBe(code({}, 'one'));
    await expect(modules.versionSource(REPORT, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await modules.diff(REPORT, 1, 2)).toContain('-one\n');
  });

  it('only creates, or only replaces, when `replace` says so', async () => {
    const { modules } = await loadedModules();
    await expect(modules.postCode(hook('slugify'), code(), ALICE, { replace: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await modules.postCode(hook('slugify'), code(), ALICE, { replace: false });
    await expect(modules.postCode(hook('slugify'), code(), ALICE, { replace: false })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
      message: 'Hook already exists',
    });
    await modules.postCode(hook('slugify'), code(), ALICE, { replace: true });
    expect(await modules.versions(hook('slugify'))).toHaveLength(2);
    expect(modules.registry.list().map(({ path }) => path)).toEqual(['/api/hooks/slugify']);
  });

  it('warns of names that are assigned to and not declared', async () => {
    const { modules } = await loadedModules();
    const result = await modules.postCode(REPORT, code({ warnings: ['a\tb'] }, 'undeclared'), ALICE);
    expect(result.warnings).toEqual(['a b', expect.stringMatching(/^line 2: `count` is assigned to/)]);
    expect(result.suggestedIsolation).toBe('context');
    await modules.putPolicy(REPORT, { isolation: 'context' }, ALICE);
    expect(await modules.postCode(REPORT, code({}, 'undeclared'), ALICE)).toMatchObject({ warnings: [] });
  });

  it('runs posts of one endpoint one after the other', async () => {
    const { modules } = await loadedModules();
    const sources = Array.from({ length: 8 }, (_, index) => code({}, `v${index}`));
    const results = await Promise.all(sources.map((source) => modules.postCode(REPORT, source, ALICE)));
    expect(results.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(modules.source(REPORT)).toBe(sources[7]);
  });
});

describe('posting names that differ only by case', () => {
  it('accepts one of two that come at once: some file systems have one file for both', async () => {
    const { modules } = await loadedModules();
    const posts = ['Report', 'report'].map((name) => modules.postCode(endpoint(name), code(), ALICE));
    const [first, second] = await Promise.allSettled(posts);
    expect(first).toMatchObject({ status: 'fulfilled', value: { created: true, version: 1 } });
    expect(second).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'NAME_TAKEN',
        items: [{ field: 'name', message: 'differs only by case from `endpoint:1.0/Report`' }],
      },
    });
    expect(modules.registry.list().map(({ path }) => path)).toEqual(['/1.0/Report']);
  });

  it('accepts one of two that come at once also where both have to wait for a reviewer', async () => {
    const { modules } = await loadedModules({ review: 'all' });
    const posts = ['Report', 'report'].map((name) => modules.postCode(endpoint(name), code(), ALICE));
    const results = await Promise.allSettled(posts);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('rolling back an endpoint', () => {
  it('creates a new version of old code without inspecting it again', async () => {
    const { modules, read, inspected } = await loadedModules();
    await modules.postCode(REPORT, code({ methods: ['GET'] }, 'one'), ALICE);
    await modules.postCode(REPORT, code({ methods: ['POST'] }, 'two'), ALICE);
    inspected.length = 0;
    expect(await modules.rollback(REPORT, 1, BOB)).toMatchObject({
      created: false,
      version: 3,
      pending: false,
    });
    expect(inspected).toEqual([]);
    expect(modules.registry.get(REPORT)).toMatchObject({ methods: ['GET'], postedBy: 'bob' });
    expect(await read(FILE)).toBe(code({ methods: ['GET'] }, 'one'));
    const [first, , third] = await modules.versions(REPORT);
    expect(third).toMatchObject({ sha256: first?.sha256, active: true });
    await expect(modules.rollback(REPORT, 9, BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(modules.rollback(endpoint('other'), 1, BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

/** A store that refuses the commits for which `refuses` says so, after it has applied so many of their writes. */
async function failingStore() {
  const { store } = await openTemporaryStore();
  const control = { refuses: (_collections: readonly string[]) => false, applies: 0 };
  const failing: DocumentStore = {
    ...store,
    find: (...args) => store.find(...args),
    count: (...args) => store.count(...args),
    health: () => store.health(),
    ensureIndexes: (...args) => store.ensureIndexes(...args),
    commit: async (writes, options) => {
      if (control.refuses(writes.map(({ ns }) => ns.collection))) {
        if (control.applies > 0) await store.commit(writes.slice(0, control.applies));
        throw new StoreError('unavailable');
      }
      await store.commit(writes, options);
    },
  };
  return { failing, control };
}

describe('publishing code that cannot be stored', () => {
  it('changes neither the active version nor the file when the version cannot be stored', async () => {
    const { failing, control } = await failingStore();
    const { modules, read } = await loadedModules({ store: failing });
    control.refuses = (collections) => collections.includes('cloister.moduleVersions');
    await expect(modules.postCode(REPORT, code(), ALICE)).rejects.toBeInstanceOf(StoreError);
    expect(modules.registry.get(REPORT)).toBeUndefined();
    expect(await read(FILE)).toBeUndefined();
  });

  it.each([
    ['a first part of it', 2],
    ['all of it', 4],
  ])('can be repeated although %s was stored after all', async (_what, applies) => {
    const { failing, control } = await failingStore();
    const { modules, audited } = await loadedModules({ store: failing });
    Object.assign(control, {
      refuses: (names: string[]) => names.includes('cloister.moduleVersions'),
      applies,
    });
    await expect(modules.postCode(REPORT, code({}, 'one'), ALICE)).rejects.toBeInstanceOf(StoreError);
    control.refuses = () => false;
    expect(await modules.postCode(REPORT, code({}, 'two'), ALICE)).toMatchObject({
      created: true,
      version: 2,
    });
    expect(modules.registry.get(REPORT)?.moduleVersion).toMatchObject({ version: 2 });
    expect((await audited()).map(([action]) => action)).toEqual([
      ...['endpoint.create', 'endpoint.create.failed', 'endpoint.create'],
    ]);
  });

  it('restores the old file when the state cannot be stored, and uses the next number afterwards', async () => {
    const { failing, control } = await failingStore();
    const { modules, read, audited } = await loadedModules({ store: failing });
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    const moduleVersion = modules.registry.get(REPORT)?.moduleVersion;
    control.refuses = (collections) => collections.join() === 'cloister.modules';
    await expect(modules.postCode(REPORT, code({}, 'two'), ALICE)).rejects.toBeInstanceOf(StoreError);
    expect(await read(FILE)).toBe(code({}, 'one'));
    expect(modules.registry.get(REPORT)?.moduleVersion).toBe(moduleVersion);
    expect((await audited()).slice(1).map(([action]) => action)).toEqual([
      ...['endpoint.replace', 'endpoint.replace.failed'],
    ]);
    control.refuses = () => false;
    expect(await modules.postCode(REPORT, code({}, 'three'), ALICE)).toMatchObject({ version: 3 });
    expect((await modules.versions(REPORT)).map(({ active }) => active)).toEqual([false, false, true]);
  });

  it('keeps the active version when the file cannot be written', async () => {
    const { modules, root } = await loadedModules();
    const folder = join(root, 'endpoints/1.0');
    await mkdir(join(folder, 'endpoint.report.js'), { recursive: true });
    await expect(modules.postCode(REPORT, code(), ALICE)).rejects.toMatchObject({
      code: 'WORKSPACE_UNAVAILABLE',
    });
    await rm(join(folder, 'endpoint.report.js'), { recursive: true });
    expect(await modules.postCode(REPORT, code(), ALICE)).toMatchObject({ created: true, version: 2 });
  });
});

describe('approving a version that cannot be stored', () => {
  it('restores code and policy', async () => {
    const { failing, control } = await failingStore();
    const { modules, read } = await loadedModules({ store: failing, review: 'grants' });
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    const policy = await read('endpoints/1.0/endpoint.report.policy.json');
    const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };
    await modules.putPolicy(REPORT, { grants }, ALICE);
    control.refuses = () => true;
    await expect(modules.approve(REPORT, 2, BOB)).rejects.toBeInstanceOf(StoreError);
    expect(await read('endpoints/1.0/endpoint.report.policy.json')).toBe(policy);
    expect(modules.registry.get(REPORT)?.moduleVersion?.policy.grants.collections).toEqual([]);
    control.refuses = () => false;
    await modules.approve(REPORT, 2, BOB);
    expect(modules.registry.get(REPORT)?.moduleVersion?.policy.grants.collections).toHaveLength(1);
  });
});

describe('a change whose new state cannot be stored', () => {
  const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };

  it.each([
    ['a removal', 'endpoint.remove', (opened: Opened) => opened.modules.remove(REPORT, BOB)],
    [
      'a policy',
      'endpoint.policy',
      (opened: Opened) => opened.modules.putPolicy(REPORT, { limits: { cpuMs: 60 } }, BOB),
    ],
    ['an approval', 'endpoint.approve', (opened: Opened) => opened.modules.approve(REPORT, 2, BOB)],
  ] as const)('leaves code and policy as they were, in files and in force: %s', async (_, action, change) => {
    const { failing, control } = await failingStore();
    const opened = await loadedModules({ store: failing, review: 'grants' });
    const { modules, read, audited } = opened;
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    await modules.putPolicy(REPORT, { grants }, ALICE);
    const before = { code: await read(FILE), policy: await read(POLICY), live: modules.registry.get(REPORT) };
    control.refuses = (collections) => collections.includes('cloister.modules');
    await expect(change(opened)).rejects.toBeInstanceOf(StoreError);
    expect({
      code: await read(FILE),
      policy: await read(POLICY),
      live: modules.registry.get(REPORT),
    }).toEqual(before);
    expect((await audited()).slice(-2).map(([name]) => name)).toEqual([action, `${action}.failed`]);
    control.refuses = () => false;
    await change(opened);
    expect([await read(FILE), await read(POLICY)]).not.toEqual([before.code, before.policy]);
  });
});

describe('an incident while new code is stored', () => {
  it('does not suspend the new code, but a suspension by an admin does', async () => {
    const opened = await openModules();
    await opened.modules.load();
    await opened.modules.postCode(REPORT, code({}, 'one'), ALICE);
    const posting = opened.modules.postCode(REPORT, code({}, 'two'), ALICE);
    opened.modules.onIncident({ moduleId: 'endpoint:1.0/report', version: 1, kind: 'kill', limit: 'wallMs' });
    const suspending = opened.modules.suspend(REPORT, BOB);
    await Promise.all([posting, suspending]);
    expect(opened.modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      moduleVersion: { version: 2, policy: { trustDomain: 'default' } },
    });
  });
});
