import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Canaries,
  createCanaries,
  createCanaryFolder,
  removeStaleCanaryFolders,
} from '../../../src/sandbox-supervisor/isolation/canaries.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

let canaries: Canaries | undefined;

afterEach(() => canaries?.remove());

describe('canaries', () => {
  it('can be touched by every user, and record that', async () => {
    canaries = await createCanaries();
    expect(readFileSync(canaries.file, 'utf8')).toBe('canary');
    expect(await canaries.touches()).toEqual(new Set());
    for (const address of [{ port: canaries.port, host: '127.0.0.1' }, { path: canaries.socket }]) {
      await once(connect(address), 'close');
    }
    writeFileSync(canaries.newFile, '');
    expect(await canaries.touches()).toEqual(new Set(['connect', 'socket', 'write']));
  });

  it('are removed with their folder', async () => {
    const { file, port, remove } = await createCanaries();
    await remove();
    expect(existsSync(file)).toBe(false);
    const socket = connect(port, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

const MODULE = join(ROOT, 'src/sandbox-supervisor/isolation/canaries.ts');
const HOUR_MS = 3_600_000;

/** Makes a folder and a file in it, and ends as the rest of the script says. */
const scriptOf = (parent: string, end: string) => `
  import { writeFileSync } from 'node:fs';
  import { createCanaryFolder } from ${JSON.stringify(MODULE)};
  const folder = createCanaryFolder(${JSON.stringify(parent)});
  writeFileSync(folder.file('canary'), 'canary');
  console.log(folder.path);
  ${end}`;

function run(parent: string, end: string): string {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', scriptOf(parent, end)], {
    encoding: 'utf8',
  });
  return stdout.trim();
}

const sweep = (parent: string, now = Date.now()) => removeStaleCanaryFolders({ parent, now });

describe('the canary folder', () => {
  it.each(['process.exit(1);', 'throw new Error();', ''])(
    'is removed when the process ends by %j',
    async (end) => {
      const parent = await temporaryFolder();
      expect(run(parent, end)).toContain(parent);
      expect(readdirSync(parent)).toEqual([]);
    },
  );

  it('stays when its process is killed, and is removed by the next self-test', async () => {
    const parent = await temporaryFolder();
    const left = run(parent, 'process.kill(process.pid, "SIGKILL");');
    expect(readdirSync(parent)).toEqual([basename(left)]);
    await sweep(parent);
    expect(readdirSync(parent)).toEqual([]);
  });

  it('is not removed while its process runs', async () => {
    const parent = await temporaryFolder();
    const own = createCanaryFolder(parent);
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      scriptOf(parent, 'process.stdin.resume();'),
    ]);
    await once(child.stdout, 'data');
    await sweep(parent);
    expect(readdirSync(parent)).toHaveLength(2);
    own.remove();
    child.stdin.end();
    await once(child, 'exit');
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('the removal of stale canary folders', () => {
  it('leaves a folder of another process namespace until it is old', async () => {
    const parent = await temporaryFolder();
    const other = join(parent, 'cloister-self-test-4000000000-1-abcdef');
    mkdirSync(other);
    await sweep(parent);
    expect(existsSync(other)).toBe(true);
    await sweep(parent, Date.now() + HOUR_MS);
    expect(existsSync(other)).toBe(false);
  });

  it('removes only the files of a self-test, and follows no link', async () => {
    const parent = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    writeFileSync(join(elsewhere, 'canary'), 'not ours');
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    const dead = (random: string) => join(parent, `cloister-self-test-4000000000-${namespace}-${random}`);
    symlinkSync(elsewhere, dead('linked'));
    mkdirSync(dead('filled'));
    symlinkSync(elsewhere, join(dead('filled'), 'new'));
    mkdirSync(join(dead('filled'), 'canary'));
    mkdirSync(dead('foreig'));
    writeFileSync(join(dead('foreig'), 'document'), '');
    writeFileSync(dead('a_file'), '');
    mkdirSync(join(parent, 'cloister-self-test-of-mine'));
    for (const name of readdirSync(parent)) utimesSync(join(parent, name), 0, 0);
    await sweep(parent);
    expect(readdirSync(parent).sort()).toEqual(
      [
        ...['linked', 'filled', 'foreig', 'a_file'].map((name) => basename(dead(name))),
        'cloister-self-test-of-mine',
      ].sort(),
    );
    expect(readdirSync(elsewhere)).toEqual(['canary']);
  });

  it('leaves folders of other users alone', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can make a folder of another user');
    const parent = await temporaryFolder();
    const other = join(parent, 'cloister-self-test-abcdef');
    mkdirSync(other);
    spawnSync('chown', ['65534', other]);
    utimesSync(other, 0, 0);
    await sweep(parent);
    expect(existsSync(other)).toBe(true);
  });

  it('ignores a parent folder that does not exist', async () => {
    await expect(sweep('/none/such')).resolves.toBeUndefined();
  });
});
