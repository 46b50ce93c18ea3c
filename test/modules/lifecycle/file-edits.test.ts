import { describe, expect, it } from 'vitest';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { code, endpoint, hook, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';
const soon = { interval: 20 };

describe('a code file edited by hand', () => {
  it('becomes a version without an author', async () => {
    const { modules, write, audited } = await loadedModules();
    await write(FILE, code({ methods: ['PUT'] }));
    await write('hooks/slugify.js', code({ methods: [] }));
    await expect
      .poll(() => modules.registry.list().map(({ path }) => path), soon)
      .toEqual(['/1.0/report', '/api/hooks/slugify']);
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', methods: ['PUT'], postedBy: null });
    await write(FILE, `\ufeff${code({ methods: ['GET'] })}`);
    await expect.poll(() => modules.registry.get(REPORT)?.methods, soon).toEqual(['GET']);
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, clientId: null },
      { version: 2, clientId: null, active: true },
    ]);
    expect((await audited()).filter(([, target]) => target === '/1.0/report')).toEqual([
      ['endpoint.create', '/1.0/report', null],
      ['endpoint.replace', '/1.0/report', null],
    ]);
  });

  it('leaves the old code active when it is invalid, and is logged', async () => {
    const { modules, write, errors } = await loadedModules();
    await modules.postCode(REPORT, code({}, 'good'), ALICE);
    await write(FILE, code({}, 'syntax'));
    await expect.poll(() => errors.length, soon).toBe(1);
    expect(errors[0]).toMatchObject({
      fields: { file: expect.stringContaining(FILE), problems: [{ code: 'ENDPOINT_SYNTAX', line: 1 }] },
      message: 'file rejected',
    });
    expect(modules.registry.get(REPORT)).toMatchObject({ state: 'active', moduleVersion: { version: 1 } });
    await modules.postCode(REPORT, code({}, 'better'), ALICE);
    expect(modules.source(REPORT)).toBe(code({}, 'better'));
  });

  it('is ignored when it is not text, too long, or has an invalid name', async () => {
    const { modules, write, errors } = await loadedModules();
    await write('endpoints/1.0/endpoint.a b.js', code());
    await write('endpoints/1.0/result-frame.js', code());
    await write('hooks/nested/x.js', code());
    await write('endpoints/1.0/endpoint.long.js', `// ${'x'.repeat(20_000)}`);
    await expect.poll(() => errors.length, soon).toBe(1);
    expect(errors[0]?.fields).toMatchObject({ problems: [{ message: expect.stringContaining('bytes') }] });
    await write(FILE, code());
    await expect.poll(() => modules.registry.list().map(({ path }) => path), soon).toEqual(['/1.0/report']);
  });

  it('removes the module with its policy and log when it is deleted', async () => {
    const { modules, read, remove, audited } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 50 } }, ALICE);
    await remove(FILE);
    await expect.poll(() => modules.registry.get(REPORT), soon).toBeUndefined();
    await expect.poll(() => read(POLICY), soon).toBeUndefined();
    await expect
      .poll(async () => (await audited()).at(-1), soon)
      .toEqual(['endpoint.remove', '/1.0/report', null]);
  });

  it('is not assumed where the server wrote the file', async () => {
    const { modules, write, inspected } = await loadedModules();
    await modules.postCode(REPORT, code({}, 'mine'), ALICE);
    // Another file's edit comes behind the first one's in the watch.
    await write('hooks/later.js', code());
    await expect.poll(() => modules.registry.get(hook('later')), soon).toBeDefined();
    expect(inspected.filter((source) => source.includes('mine'))).toHaveLength(1);
    expect(await modules.versions(REPORT)).toHaveLength(1);
  });
});

describe('a policy file edited by hand', () => {
  it('becomes active, and so does its removal', async () => {
    const { modules, write, remove, audited } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    const cpuMs = () => modules.registry.get(REPORT)?.moduleVersion?.policy.limits.cpuMs;
    await write(POLICY, '{"limits":{"cpuMs":77}}');
    await expect.poll(cpuMs, soon).toBe(77);
    await expect
      .poll(async () => (await audited()).at(-1), soon)
      .toEqual(['endpoint.policy', '/1.0/report', null]);
    await remove(POLICY);
    await expect.poll(cpuMs, soon).toBe(1000);
    expect(modules.policy(REPORT)).toEqual({ version: 1 });
  });

  it('leaves the old policy active when it exceeds the policy limits', async () => {
    const { modules, write, errors } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    await modules.putPolicy(REPORT, { limits: { cpuMs: 77 } }, ALICE);
    await write(POLICY, '{"limits":{"cpuMs":1000000}}');
    await expect.poll(() => errors.length, soon).toBe(1);
    await write(POLICY, '{"limits":');
    await expect.poll(() => errors.length, soon).toBe(2);
    expect(errors.map(({ fields }) => fields)).toMatchObject([
      { problems: [{ field: 'limits.cpuMs' }] },
      {
        problems: [
          { message: 'The file is not valid JSON: line 1, column 11: expected a value, but the text ends' },
        ],
      },
    ]);
    expect(modules.registry.get(REPORT)?.moduleVersion?.policy.limits.cpuMs).toBe(77);
  });

  it('may be written before the code', async () => {
    const { modules, write } = await loadedModules();
    await write(POLICY, '{"limits":{"cpuMs":77}}');
    await modules.postCode(REPORT, code(), ALICE);
    expect(modules.registry.get(REPORT)?.moduleVersion?.policy.limits.cpuMs).toBe(77);
  });
});

describe('the file watch', () => {
  it('applies edits from before the loading ended once all modules are loaded', async () => {
    const { modules, write } = await openModules();
    await write(FILE, code({}, 'one'));
    const loading = modules.load();
    await write(FILE, code({}, 'two'));
    await loading;
    await expect.poll(() => modules.source(REPORT), soon).toBe(code({}, 'two'));
  });

  it('applies nothing after the server has closed', async () => {
    const { modules, write, close } = await loadedModules();
    await close();
    await write(FILE, code());
    expect(modules.registry.get(REPORT)).toBeUndefined();
  });
});
