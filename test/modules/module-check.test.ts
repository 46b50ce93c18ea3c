import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Inspection } from '../../sandbox/protocol.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import { AppError } from '../../src/errors/errors.ts';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import { createModuleCheck } from '../../src/modules/module-check.ts';
import { loadPolicyLimits } from '../../src/modules/policy/policy-limits.ts';
import type { Sandbox } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createFolderWorkspace } from '../../src/stores/folder-workspace.ts';
import { acceptedInspection } from '../helpers/sandbox/inspection.ts';
import { collection } from '../http/fixtures.ts';

type Inspect = Sandbox['inspect'];

const FINE: Inspection = acceptedInspection();
const GOOD = 'module.exports.get = () => {}';
const ceilings = await loadPolicyLimits(new URL('sandbox/', packageRoot()));

/** Code that begins with `// {…}` is inspected as that says. */
const inspect: Inspect = async (source) => ({
  ...FINE,
  ...JSON.parse(/^\/\/ (\{.*)/.exec(source)?.[1] ?? '{}'),
});

async function open(files: Readonly<Record<string, string>>, looking: Inspect = inspect) {
  const root = await mkdtemp(join(tmpdir(), 'cloister-modules-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const check = createModuleCheck({
    workspace: createFolderWorkspace(),
    folders: { endpoints: join(root, 'endpoints'), hooks: join(root, 'hooks') },
    sandbox: { inspect: looking },
    findUndeclared: async (source) => (source.includes('leak =') ? [{ name: 'leak', line: 2 }] : []),
    policyLimits: ceilings,
    limits: { endpointCodeBytes: 10_000, jsonBytes: 1_000_000 },
  });
  const registry = createCollectionRegistry();
  registry.put(collection('books'));
  return { root, check, problems: async () => shown(root, await check.check(registry)) };
}

const shown = (root: string, problems: Awaited<ReturnType<ReturnType<typeof createModuleCheck>['check']>>) =>
  problems.map(
    ({ file, line, severity, message }) =>
      `${severity} ${file.slice(root.length + 1)}${line === undefined ? '' : `:${line}`} ${message}`,
  );

const problemsOf = async (files: Record<string, string>, looking?: Inspect) =>
  (await open(files, looking)).problems();

it('code that hashes passwords is told to have the grant, which a policy that is written has', async () => {
  const hook = "const b = require('bcrypt-as-promised'); module.exports = (obj) => obj;";
  const found = await problemsOf({ 'hooks/secret.js': hook });
  expect(found).toEqual([
    'warning hooks/secret.js hashes passwords, and needs a policy beside it, `secret.policy.json`, with `"grants": {"bcrypt": {}}`',
  ]);
  const granted = '{"version": 1, "grants": {"bcrypt": {"maxRounds": 10}}}';
  expect(await problemsOf({ 'hooks/secret.js': hook, 'hooks/secret.policy.json': granted })).toEqual([]);
  const both = `${hook} require('@dadi/api').Model('books').find({});`;
  const { root, check } = await open({ 'hooks/secret.js': both });
  const registry = createCollectionRegistry();
  registry.put(collection('books'));
  await check.check(registry, { writePolicies: true });
  expect(JSON.parse(readFileSync(join(root, 'hooks/secret.policy.json'), 'utf8')).grants).toMatchObject({
    bcrypt: {},
    collections: [{ name: '1.0/library/books' }],
  });
});

describe('`cloister check` of valid modules', () => {
  it('finds no issues, nor in missing folders', async () => {
    const files = {
      'endpoints/1.0/endpoint.report.js': GOOD,
      'endpoints/1.0/endpoint.report.policy.json': '{"limits": {"cpuMs": 100}}',
      'hooks/slugify.js': 'module.exports = (obj) => obj',
    };
    expect(await problemsOf(files)).toEqual([]);
    expect(await problemsOf({})).toEqual([]);
  });

  it('lists the hooks', async () => {
    const { check } = await open({ 'hooks/a.js': GOOD, 'hooks/b.policy.json': '{}', 'hooks/c.txt': '' });
    expect([...(await check.hookNames())]).toEqual(['a']);
  });
});

describe('`cloister check` of code', () => {
  it('reports invalid code with its line', async () => {
    const refusal = { ok: false, code: 'ENDPOINT_SYNTAX', message: 'Unexpected token', line: 3, column: 1 };
    const files = { 'endpoints/1.0/endpoint.a.js': `// ${JSON.stringify(refusal)}`, 'hooks/b.js': ' ' };
    expect(await problemsOf(files)).toEqual([
      'error endpoints/1.0/endpoint.a.js:3 Unexpected token',
      'error hooks/b.js There is no code',
    ]);
  });

  it('reports code that is too large or cannot be read as an error', async () => {
    const { root, problems } = await open({ 'hooks/a.js': 'x'.repeat(11_000) });
    await mkdir(join(root, 'hooks/b.js'));
    const [large, folder] = await problems();
    expect(large).toMatch(/^error hooks\/a\.js cannot be read: it has more than/);
    expect(folder).toBe('error hooks/b.js cannot be read: it is not a file');
  });

  it('reports a description that is not valid as a warning', async () => {
    const text = JSON.stringify({ openapi: '{"GET":{"summary":1}}' });
    expect(await problemsOf({ 'endpoints/1.0/endpoint.a.js': `// ${text}` })).toEqual([
      'warning endpoints/1.0/endpoint.a.js openapi.GET.summary must be text',
    ]);
  });

  it('reports doubtful code as a warning', async () => {
    const files = {
      'endpoints/1.0/endpoint.a.js': '// {"warnings": ["odd"]}',
      'endpoints/1.0/endpoint.b.js': '\nleak = 1',
      'endpoints/1.0/endpoint.c.js': '\nleak = 1',
      'endpoints/1.0/endpoint.c.policy.json': '{"isolation": "context"}',
    };
    const [odd, leak, ...more] = await problemsOf(files);
    expect(odd).toBe('warning endpoints/1.0/endpoint.a.js odd');
    expect(leak).toMatch(/^warning endpoints\/1\.0\/endpoint\.b\.js line 2: `leak` is assigned/);
    expect(more).toEqual([]);
  });

  it('reports code whose name or route is taken with both addresses', async () => {
    const files = {
      'endpoints/1.0/endpoint.library.js': GOOD,
      'endpoints/2.0/endpoint.library.js': GOOD,
      'endpoints/1.0/endpoint.a.js': '// {"route": "/1.0/things/:id"}',
      'endpoints/1.0/endpoint.b.js': '// {"route": "/1.0/things/:other"}',
      'endpoints/1.0/endpoint.c.js': '// {"route": "/2.0/x"}',
    };
    expect(await problemsOf(files)).toEqual([
      'error endpoints/1.0/endpoint.b.js route shadows the endpoint `/1.0/a`',
      'error endpoints/1.0/endpoint.c.js route must start with `/1.0/`',
      'error endpoints/1.0/endpoint.library.js name `library` is the name of a database folder of version 1.0',
    ]);
  });
});

describe('`cloister check` of policies', () => {
  it('reports policies above the limits or of the wrong shape with their lines', async () => {
    const policy = '{\n  "limits": {\n    "cpuMs": 99999999\n  },\n  "odd": 1\n}';
    const files = { 'hooks/a.js': GOOD, 'hooks/a.policy.json': policy };
    const [first] = await problemsOf(files);
    expect(first).toMatch(/^error hooks\/a\.policy\.json:\d /);
    const above = { ...files, 'hooks/a.policy.json': policy.replace(',\n  "odd": 1', '') };
    expect((await problemsOf(above))[0]).toMatch(/^error hooks\/a\.policy\.json:3 limits\.cpuMs must be/);
  });

  it('reports invalid JSON as an error and a policy without code as a warning', async () => {
    const files = { 'hooks/a.js': GOOD, 'hooks/a.policy.json': '{\n"a":,}', 'hooks/b.policy.json': '{}' };
    const [broken, alone] = await problemsOf(files);
    expect(broken).toMatch(/^error hooks\/a\.policy\.json:2 is not valid JSON/);
    expect(alone).toBe('warning hooks/b.policy.json there is no code beside this policy');
  });
});

it('`cloister check` warns of files with unknown names', async () => {
  const files = {
    'endpoints/endpoint.a.js': GOOD,
    'endpoints/api/endpoint.a.js': GOOD,
    'endpoints/1.0/result-frame.js': GOOD,
    'endpoints/1.0/README.md': '',
    'hooks/a b.js': GOOD,
  };
  const problems = await problemsOf(files);
  expect(problems.map((line) => line.split(' is not read')[0])).toEqual([
    'warning endpoints/1.0/result-frame.js',
    'warning endpoints/api/endpoint.a.js',
    'warning endpoints/endpoint.a.js',
    'warning hooks/a b.js',
  ]);
});

describe('`cloister check` without a sandbox', () => {
  const off: Inspect = async () => {
    throw new AppError('SANDBOX_DISABLED');
  };

  it('compiles code and warns once', async () => {
    const files = { 'hooks/a.js': GOOD, 'hooks/b.js': 'const = 1', 'endpoints/1.0/endpoint.c.js': GOOD };
    const [warning, ...errors] = await problemsOf(files, off);
    expect(warning).toMatch(/^warning endpoints no process of the sandbox starts here/);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^error hooks\/b\.js:1 /);
  });

  it('reports code that crashed its inspection and checks the others', async () => {
    const looking: Inspect = async (source) => {
      if (source.includes('bomb')) throw new AppError('ENDPOINT_CRASHED');
      return FINE;
    };
    expect(await problemsOf({ 'hooks/a.js': 'bomb', 'hooks/b.js': '' }, looking)).toEqual([
      'error hooks/a.js The process that ran the endpoint ended',
      'error hooks/b.js There is no code',
    ]);
  });

  it('rejects with internal errors', async () => {
    const broken: Inspect = async () => {
      throw new TypeError('defect');
    };
    await expect(problemsOf({ 'hooks/a.js': GOOD }, broken)).rejects.toThrow('defect');
  });
});
