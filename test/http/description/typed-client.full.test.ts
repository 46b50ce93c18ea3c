// docs/typed-client.md as its reader works through it, and what generators of clients make of a description with everything in it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeExampleWorkspace } from '../../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';
import { connectClient } from '../../helpers/server-process/client.ts';
import {
  type GuideStep,
  guideStepsOf,
  openTerminal,
  outputPattern,
  saveFile,
} from '../../helpers/server-process/guide.ts';
import { isProgramInstalled } from '../../helpers/server-process/programs.ts';
import {
  type ServerProcess,
  spawnCommand,
  spawnServer,
} from '../../helpers/server-process/server-process.ts';
import { startDescribedSite } from './described-site.ts';

const PAGE = readFileSync(join(ROOT, 'docs/typed-client.md'), 'utf8');
const STEPS = guideStepsOf(PAGE);
const PACKAGES = join(ROOT, '.servers/client-generators/node_modules');
const BIN = join(PACKAGES, '.bin');
const CREDENTIALS = { clientId: 'books-program', secret: 'a secret of the program' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-typed-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of a program in which the packages of the page are installed. */
function programFolder(name: string): string {
  const program = join(folder, name);
  mkdirSync(program);
  writeFileSync(join(program, 'package.json'), '{"type":"module"}');
  symlinkSync(PACKAGES, join(program, 'node_modules'));
  return program;
}

/** Runs one of the programs on the Node of the tests. Tells its status with what it said. */
function run(program: string, args: readonly string[], cwd: string): readonly [number | null, string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(BIN, program), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: undefined },
  });
  return [status, `${stdout}${stderr}`];
}

const COMPILES = [0, ''] as const;

describe.skipIf(!isProgramInstalled(join(BIN, 'openapi-typescript'), 'npm run test:servers'))(
  'a typed client',
  () => {
    describe('of docs/typed-client.md', () => {
      let program: string;
      let site: string;
      let server: ServerProcess;
      let terminal: ReturnType<typeof openTerminal>;

      beforeAll(async () => {
        site = join(folder, 'site');
        writeExampleWorkspace(site);
        server = await spawnServer({ cwd: site });
        const admin = await connectClient(server.url);
        const { status } = await admin.request('POST', '/api/clients', CREDENTIALS);
        expect(status).toBe(201);
        program = programFolder('program');
        const { clientId, secret } = CREDENTIALS;
        const env = { API: server.url, CLIENT_ID: clientId, CLIENT_SECRET: secret };
        terminal = openTerminal(program, join(folder, 'state'), env);
      });
      afterAll(() => server?.stop());

      async function work(step: GuideStep): Promise<void> {
        if (step.kind === 'file') return saveFile(program, step);
        const printed = await terminal.type(step.text);
        if (step.printed !== undefined) expect(printed.trim()).toMatch(outputPattern(step.printed));
      }

      const steps = STEPS.filter(({ kind }) => kind !== 'terminal');
      it.each(steps.map((step, index) => ({ ...step, index })))('block $index of "$heading" works', work);

      it('installs packages that the tests have', () => {
        const [{ text }] = STEPS.filter(({ heading }) => heading === 'Install') as [GuideStep];
        const installed = JSON.parse(readFileSync(join(PACKAGES, '../package.json'), 'utf8')).dependencies;
        const named = text
          .matchAll(/^npm install (.*)$/gm)
          .flatMap(([, line = '']) => line.split(' ').filter((word) => !word.startsWith('--')));
        const versions = [...named].map((name) => [name, installed[name.replace(/(?<=.)@\d+$/, '')]]);
        expect(versions.length).toBe(4);
        expect(versions.filter(([, version]) => version === undefined)).toEqual([]);
        expect(new Map(versions as [string, string][]).get('typescript@5')).toMatch(/^\^5\./);
      });

      it('does not compile with a wrong path, field, type or parameter, or with what the client may not do', () => {
        const lines = [
          "api.GET('/1.0/library/boks');",
          "api.GET('/api/clients');",
          'api.POST(BOOKS, { body: { publicationYear: 1965 } });',
          "api.POST(BOOKS, { body: { title: 'Emma', publicationYear: '1815' } });",
          "api.GET(BOOKS, { params: { query: { sortOrder: 'up' } } });",
          "const year: string = results[0]?.publicationYear ?? '';",
          'console.log(results[0]?.titel);',
          "({ title: 'Emma', titel: 'Emma' }) satisfies components['schemas']['new_1_0__library__books'];",
        ];
        const page = STEPS.find(({ path }) => path === 'books.ts')?.text ?? '';
        saveFile(program, { path: 'books.ts', text: `${page}${lines.join('\n')}\n` });
        const [, said] = run('tsc', [], program);
        const first = page.split('\n').length;
        const wrong = said.matchAll(/^books\.ts\((\d+),.* error /gm).map(([, line]) => Number(line) - first);
        expect([...wrong], said).toEqual(lines.map((_, at) => at));
      });

      it('is made of what `cloister openapi` writes too', async () => {
        const other = programFolder('from-command');
        const command = ['openapi', '--file', join(other, 'openapi.json')];
        const { code, said } = await spawnCommand(command, { cwd: site }).ended;
        expect(code, said).toBe(0);
        const make = STEPS.find(({ heading }) => heading === 'Make the types')?.text ?? '';
        const there = openTerminal(other, join(folder, 'other-state'), {});
        await there.type(make);
        for (const step of STEPS) if (step.kind === 'file') saveFile(other, step);
        expect(run('tsc', [], other)).toEqual(COMPILES);
      });
    });

    describe('of a site with everything that descriptions have', () => {
      const GENERATORS = {
        'openapi-typescript': ['openapi.json', '--output', 'made/index.ts'],
        'openapi-ts': ['--input', 'openapi.json', '--output', 'made'],
      };

      it.each(Object.entries(GENERATORS))('is made by %s and compiles', async (generator, args) => {
        const program = programFolder(generator);
        const described = await startDescribedSite();
        try {
          const document = await described.describe('adminReviewer');
          writeFileSync(join(program, 'openapi.json'), JSON.stringify(document));
        } finally {
          await described.close();
        }
        const [status, said] = run(generator, args, program);
        expect(status, said).toBe(0);
        const strict = ['--strict', '--noEmit', '--target', 'ES2024', '--module', 'ESNext'];
        const resolved = ['--moduleResolution', 'bundler', '--lib', 'ES2024,DOM,DOM.Iterable'];
        expect(run('tsc', [...strict, ...resolved, 'made/index.ts'], program)).toEqual(COMPILES);
      });
    });
  },
);
