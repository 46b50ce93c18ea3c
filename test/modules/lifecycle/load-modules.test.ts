import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { moduleAuditEntry } from '../../../src/modules/model/module-types.ts';
import { createModuleRecords } from '../../../src/modules/versions/module-records.ts';
import { ALICE, BOB } from '../../helpers/fixtures/actors.ts';
import { acceptedInspection } from '../../helpers/sandbox/inspection.ts';
import { auditOf } from '../../helpers/store/audit-log.ts';
import { code, endpoint, hook, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';
const soon = { interval: 20 };

describe('loading modules at startup', () => {
  it('inspects unknown code once and known code never again', async () => {
    const first = await openModules();
    await first.write(FILE, code({ methods: ['PUT'], settings: { authenticate: ['POST'] } }));
    await first.write('hooks/slugify.js', code({ methods: [] }));
    await first.modules.load();
    expect(first.inspected).toHaveLength(2);
    const second = await first.restart();
    expect(second.inspected).toEqual([]);
    expect(second.modules.registry.list()).toMatchObject([
      { path: '/1.0/report', state: 'active', methods: ['PUT'], authenticate: ['POST'], postedBy: null },
      { path: '/api/hooks/slugify', state: 'active' },
    ]);
  });

  it('keeps versions, policy and suspension', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    await first.modules.postCode(REPORT, code({}, 'two'), BOB);
    await first.modules.putPolicy(REPORT, { limits: { cpuMs: 77 } }, ALICE);
    await first.modules.suspend(REPORT, ALICE);
    const { modules } = await first.restart();
    expect(modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      suspension: { by: 'admin', clientId: 'alice' },
      postedBy: 'bob',
      moduleVersion: { version: 2, policy: { limits: { cpuMs: 77 } } },
    });
    expect(await modules.versions(REPORT)).toHaveLength(2);
    expect(await modules.postCode(REPORT, code({}, 'three'), ALICE)).toMatchObject({ version: 3 });
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'suspended', suspension: { by: 'admin' } });
  });

  it('answers 503 for broken code until its file is repaired', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code({ methods: ['GET'] }), ALICE);
    await first.close();
    await first.write(FILE, code({}, 'syntax'));
    const second = await first.restart();
    expect(second.modules.registry.match('/1.0/report')?.endpoint).toMatchObject({
      state: 'broken',
      methods: [],
    });
    expect(second.modules.registry.get(REPORT)?.moduleVersion).toBeUndefined();
    expect(second.errors).toMatchObject([{ fields: { problems: [{ code: 'ENDPOINT_SYNTAX' }] } }]);
    expect(second.modules.source(REPORT)).toBe(code({}, 'syntax'));
    expect(await second.modules.versions(REPORT)).toHaveLength(1);
    await second.modules.rollback(REPORT, 1, ALICE);
    expect(second.modules.registry.get(REPORT)).toMatchObject({
      state: 'active',
      moduleVersion: { version: 2 },
    });
  });

  it('answers 503 for code with an invalid policy', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.close();
    await first.write(POLICY, '{"limits":{"cpuMs":1000000}}');
    const second = await first.restart();
    expect(second.modules.registry.get(REPORT)?.state).toBe('broken');
    await expect(second.modules.postCode(REPORT, code(), ALICE)).rejects.toMatchObject({
      code: 'POLICY_INVALID',
    });
    await second.modules.putPolicy(REPORT, { limits: { cpuMs: 77 } }, ALICE);
    expect(second.modules.registry.get(REPORT)).toMatchObject({
      state: 'active',
      moduleVersion: { policy: { limits: { cpuMs: 77 } } },
    });
  });

  it('publishes unknown code beside an invalid policy without running it', async () => {
    const first = await openModules();
    await first.write(FILE, code());
    await first.write(POLICY, '[]');
    await first.modules.load();
    expect(first.modules.registry.get(REPORT)?.state).toBe('broken');
    expect(await first.modules.versions(REPORT)).toHaveLength(1);
    await first.modules.putPolicy(REPORT, {}, ALICE);
    expect(first.modules.registry.get(REPORT)?.state).toBe('active');
  });

  it('removes a module whose file is gone, and keeps the suspension of an admin', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.putPolicy(REPORT, { limits: { cpuMs: 77 } }, ALICE);
    await first.modules.suspend(REPORT, ALICE);
    await first.close();
    await first.remove(FILE);
    const second = await first.restart();
    expect(second.modules.registry.list()).toEqual([]);
    expect(await second.read(POLICY)).toBeUndefined();
    await second.close();
    await second.write(FILE, code());
    const third = await second.restart();
    expect(third.modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      moduleVersion: { version: 2 },
    });
  });

  it('completes a publication that crashed between file and state', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    const records = createModuleRecords({
      store: first.store,
      audit: auditOf(first.store),
      now: Date.now,
      queryMs: 60_000,
    });
    const [state] = await records.loadStates();
    const [one] = await records.listVersions('endpoint:1.0/report');
    const source = code({}, 'two');
    const states = { before: one!.sha256, after: sha256Hex(source) };
    const entry = moduleAuditEntry({ address: REPORT, action: 'replace', actor: BOB, ...states });
    const two = { ...one!, version: 2, clientId: 'bob', sha256: sha256Hex(source) };
    await records.addVersion({ ...state!, last: 2 }, { record: two, source }, entry);
    await first.close();

    const before = await first.restart();
    expect(before.modules.registry.get(REPORT)).toMatchObject({
      moduleVersion: { version: 1 },
      postedBy: 'alice',
    });
    await before.close();
    await before.write(FILE, source);
    const after = await before.restart();
    expect(after.inspected).toEqual([]);
    expect(after.modules.registry.get(REPORT)).toMatchObject({
      moduleVersion: { version: 2 },
      postedBy: 'bob',
    });
    expect(await after.modules.versions(REPORT)).toHaveLength(2);
    expect((await after.audited()).at(-1)).toEqual(['endpoint.replace', '/1.0/report', null]);
  });

  it('retries at the next start code that could not be inspected', async () => {
    const first = await openModules({
      sandbox: {
        inspect: async () => Promise.reject(new AppError('SANDBOX_DISABLED')),
        evict: () => {},
        stop: async () => {},
      },
    });
    await first.write(FILE, code());
    await first.modules.load();
    expect(first.modules.registry.get(REPORT)?.state).toBe('broken');
    await expect(first.modules.postCode(REPORT, code(), ALICE)).rejects.toMatchObject({
      code: 'SANDBOX_DISABLED',
    });
    const second = await openModules({ store: first.store, root: first.root });
    await second.modules.load();
    expect(second.modules.registry.get(REPORT)?.state).toBe('active');
  });

  it('warns of modules with conflicting paths, and prefers collections', async () => {
    const first = await loadedModules();
    await first.modules.postCode(endpoint('library'), code(), ALICE);
    await first.modules.postCode(endpoint('shelf'), code({ route: '/1.0/shelf/:x' }), ALICE);
    const second = await first.restart({ collections: ['1.0/library/logs', '1.0/shelf/books'] });
    expect(second.warnings.map(({ fields }) => fields)).toMatchObject([
      { problems: [{ code: 'NAME_TAKEN' }] },
      { problems: [{ code: 'NAME_TAKEN' }] },
    ]);
    const { registry } = second.modules;
    expect(registry.match('/1.0/library')?.endpoint.state).toBe('active');
    expect(registry.match('/1.0/library/logs')).toBeUndefined();
    expect(registry.match('/1.0/shelf/books')).toBeUndefined();
    expect(registry.match('/1.0/shelf/other')?.params).toEqual({ x: 'other' });
  });

  it('ignores folders and broken links with the name of a file', async () => {
    const first = await openModules();
    await mkdir(join(first.root, FILE), { recursive: true });
    await mkdir(join(first.root, 'hooks'));
    await symlink('nowhere', join(first.root, 'hooks/slugify.js'));
    await first.modules.load();
    expect(first.modules.registry.get(REPORT)?.state).toBe('broken');
    expect(first.modules.registry.get(hook('slugify'))).toBeUndefined();
  });

  it('does not wait for ever for an inspection', async () => {
    const looking = Promise.withResolvers<void>();
    const { modules, write } = await openModules({
      sandbox: {
        evict: () => {},
        stop: async () => {},
        inspect: async () => {
          await looking.promise;
          return acceptedInspection();
        },
      },
    });
    await write(FILE, code());
    await modules.load();
    expect(modules.registry.get(REPORT)?.state).toBe('broken');
    const posted = modules.postCode(REPORT, code({}, 'posted'), ALICE);
    looking.resolve();
    await posted;
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', moduleVersion: { version: 2 } });
    expect(modules.source(REPORT)).toBe(code({}, 'posted'));
  });

  it('leaves the rest to the next start when the server closes', async () => {
    const first = await openModules();
    for (let index = 0; index < 30; index += 1) await first.write(`hooks/h${index}.js`, code({}, `${index}`));
    const loading = first.modules.load();
    await first.close();
    await loading;
    const next = await openModules({ store: first.store, root: first.root });
    await next.modules.load();
    expect(next.modules.registry.list().every(({ state }) => state === 'active')).toBe(true);
    expect(first.inspected.length + next.inspected.length).toBeLessThanOrEqual(31);
  });

  it('activates hundreds of known modules without inspecting them again', async () => {
    const first = await openModules();
    for (let index = 0; index < 300; index += 1) {
      await first.write(`endpoints/1.0/endpoint.e${index}.js`, code({}, `${index}`));
    }
    await first.modules.load();
    await expect.poll(() => first.inspected.length).toBe(300);
    const isActive = ({ state }: { readonly state: string }) => state === 'active';
    await expect.poll(() => first.modules.registry.list().filter(isActive).length, soon).toBe(300);
    await first.close();
    const second = await openModules({ store: first.store, root: first.root });
    await second.modules.load();
    expect(second.inspected).toEqual([]);
    expect(second.modules.registry.list()).toHaveLength(300);
  });
});
