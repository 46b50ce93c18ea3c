// The files of deploy/, as the programs that read them judge them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { isProgramInstalled } from '../helpers/server-process/programs.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

const DEPLOY = join(ROOT, 'deploy');
const HADOLINT = join(ROOT, '.servers/hadolint');

function run(program: string, args: readonly string[], env: object = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, said: `${stdout}${stderr}` };
}

describe.skipIf(!isProgramInstalled(HADOLINT, 'npm run test:servers'))('the Dockerfile', () => {
  it('has nothing that hadolint minds', () => {
    expect(run(HADOLINT, [join(DEPLOY, 'Dockerfile')])).toEqual({ status: 0, said: '' });
  });

  it('names the Node of this checkout, and starts the command of the package', () => {
    const text = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(text).toContain(`NODE_IMAGE=node:${readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()}-`);
    expect(text).toContain(`/app/node_modules/cloister/${bin.cloister}`);
  });

  it('is not built from data or secrets', () => {
    const left = readFileSync(join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    // Those of deploy/.env too: a line without `**/` is about the top folder only.
    const everywhere = ['**/.env', '**/.env.*', '**/node_modules', '**/*.log'];
    expect(left).toEqual(expect.arrayContaining([...everywhere, 'data', '.git', 'workspace']));
    const untracked = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    expect(untracked).toEqual(expect.arrayContaining(['.env', '.env.*']));
  });
});

/** The environment that a service gets, as docker-compose resolves it. */
function environmentOf(file: string, service: string): Readonly<Record<string, string>> {
  const secrets = {
    CLOISTER_ADMIN_SECRET: 'a secret for tests',
    CLOISTER_AUTH_AUDIT_KEY: 'k'.repeat(32),
    S3_SECRET_KEY: 'another-secret',
  };
  const { status, said } = run('docker-compose', ['-f', join(DEPLOY, file), 'config'], secrets);
  expect(status, said).toBe(0);
  const [, block = ''] = said.split(new RegExp(`^  ${service}:$`, 'm'));
  const [, lines = ''] = /\n {4}environment:\n((?: {6}.*\n)+)/.exec(block) ?? [];
  return Object.fromEntries(
    [...lines.matchAll(/^ {6}(\w+): (?:'(.*)'|"(.*)"|(.*))$/gm)].map(([, name = '', ...values]) => [
      name,
      values.find((value) => value !== undefined) ?? '',
    ]),
  );
}

describe.skipIf(!isProgramInstalled('docker-compose', 'apt-get install docker-compose'))(
  'compose.yaml and three-nodes.yaml',
  () => {
    it.each([
      ['compose.yaml', 'cloister'],
      ['three-nodes.yaml', 'cloister1'],
      ['three-nodes.yaml', 'cloister3'],
    ])('%s gives %s settings that it knows, with values that it takes', async (file, service) => {
      const cwd = await temporaryFolder();
      writeExampleWorkspace(cwd);
      const env = environmentOf(file, service);
      expect(env).toMatchObject({ CLOISTER_DATABASE_ENGINE: 'mongodb', CLOISTER_CACHE_ENGINE: 'redis' });
      const io = captureIo(cwd, env);
      expect({ code: await check({}, io), said: [...io.printed, ...io.complained] }).toEqual({
        code: 0,
        said: ['all is well'],
      });
    });

    it.each(['compose.yaml', 'three-nodes.yaml'])(
      '%s has no secret in it: without them it is refused',
      (file) => {
        const { status, said } = run('docker-compose', ['-f', join(DEPLOY, file), 'config']);
        expect(status).not.toBe(0);
        expect(said).toMatch(/CLOISTER_ADMIN_SECRET|CLOISTER_AUTH_AUDIT_KEY|S3_SECRET_KEY/);
      },
    );

    it('all servers of three-nodes.yaml have the same settings', () => {
      const [first, ...others] = ['cloister1', 'cloister2', 'cloister3'].map((service) =>
        environmentOf('three-nodes.yaml', service),
      );
      for (const other of others) expect(other).toEqual(first);
    });
  },
);

describe.skipIf(!isProgramInstalled('systemd-analyze', 'apt-get install systemd'))('the systemd unit', () => {
  /** With programs that are here in place of the site's. */
  async function unit(): Promise<string> {
    const text = readFileSync(join(DEPLOY, 'cloister.service'), 'utf8');
    const [, start = ''] = /^ExecStart=(\S+ .*)$/m.exec(text) ?? [];
    expect(start).toMatch(
      /\/node_modules\/\.bin\/node .*\/node_modules\/cloister\/dist\/src\/cloister\.js start$/,
    );
    const here = start.replace(/^\S+/, process.execPath);
    const file = join(await temporaryFolder(), 'cloister.service');
    writeFileSync(file, text.replace(start, here));
    return file;
  }

  it('of the backup, with its timer, is one that systemd takes without a word, and exposed no more', async () => {
    const folder = await temporaryFolder();
    const [service, timer] = ['service', 'timer'].map((kind) => join(folder, `cloister-backup.${kind}`));
    for (const file of [service, timer] as string[]) {
      const text = readFileSync(join(DEPLOY, basename(file)), 'utf8');
      writeFileSync(file, text);
    }
    expect(readFileSync(service as string, 'utf8')).toMatch(
      /cloister\/dist\/src\/cloister\.js backup "\/var\/backups/,
    );
    const verified = run('systemd-analyze', ['verify', '--man=no', timer as string, service as string]);
    expect(verified).toEqual({ status: 0, said: '' });
    const args = ['security', '--offline=true', '--threshold=29', service as string];
    const { status, said } = run('systemd-analyze', args);
    expect(status, said).toBe(0);
  });

  it('is one that systemd takes without a word', async () => {
    const { status, said } = run('systemd-analyze', ['verify', '--man=no', await unit()]);
    expect({ status, said }).toEqual({ status: 0, said: '' });
  });

  it('is exposed no more than 2.9 of 10', async () => {
    const args = ['security', '--offline=true', '--threshold=29', await unit()];
    const { status, said } = run('systemd-analyze', args);
    expect(said).toContain('Overall exposure level');
    expect(status, said).toBe(0);
  });
});

describe.skipIf(!isProgramInstalled('caddy', 'apt-get install caddy'))('a configuration of Caddy', () => {
  it.each(['Caddyfile', 'three-nodes.Caddyfile'])('%s is formatted and taken by Caddy', async (name) => {
    const home = await temporaryFolder();
    const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const file = join(DEPLOY, name);
    const { status, said } = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], env);
    expect(status, said).toBe(0);
    expect(said).not.toContain('"level":"warn"');
    expect(run('caddy', ['fmt', file], env).said).toBe(readFileSync(file, 'utf8'));
  });
});

it('docs/hosting.md names every file of deploy/', () => {
  const page = existsSync(join(ROOT, 'docs/hosting.md'))
    ? readFileSync(join(ROOT, 'docs/hosting.md'), 'utf8')
    : '';
  for (const entry of readdirSync(DEPLOY, { withFileTypes: true }))
    if (entry.isFile() && !/^\.env|ignore$/.test(entry.name)) expect(page).toContain(`deploy/${entry.name}`);
});
