// Running a program as an ordinary user, where the tests run as root.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { bindingPath } from '../../../sandbox/binding.js';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { canSwitchUser } from '../../../src/sandbox-supervisor/isolation/host-privileges.ts';
import { ROOT } from '../fixtures/source-tree.ts';

const COMMAND = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
/** What the scripts that run as another user are made of; they import nothing that is installed. */
const PARTS = ['package.json', 'sandbox', 'src', 'test/sandbox-supervisor/isolation', 'test/sandbox'];
const READ_AND_EXECUTE = 0o005;

/** Somebody, and where that user finds Node and this checkout. */
export interface TestUser {
  readonly user: string;
  /** What to put in front of a command. */
  readonly before: readonly string[];
  readonly node: string;
  readonly root: string;
}

const SELF: TestUser = { user: 'the user of this run', before: [], node: process.execPath, root: ROOT };

/** Where that user finds a file of the checkout. */
export function pathFor({ root }: TestUser, file: URL): string {
  return join(root, relative(ROOT, fileURLToPath(file)));
}

/** Whether all users can enter the folders above the checkout and its Node. True where the tests do not run as root. */
export const isOpenToAll = (): boolean =>
  process.getuid?.() !== 0 || canSwitchUser([process.execPath, join(ROOT, 'package.json')]);

function skipped(why: string): undefined {
  console.warn(`\n*** ${why}: what an ordinary user may do is not tested ***\n`);
  return undefined;
}

/** A folder for temporary files that all users can enter; undefined where there is none, or this user is not root. */
export function openFolder(): string | undefined {
  return [tmpdir(), '/tmp', '/var/tmp'].find((folder) => canSwitchUser([folder]));
}

/** False where it lies on another device. */
function linked(file: string, target: string): boolean {
  try {
    linkSync(file, target);
    return true;
  } catch {
    return false;
  }
}

/** A second name for the program of this process, else a copy that others may run. */
function provideNode(target: string): void {
  const isForAll = (statSync(process.execPath).mode & READ_AND_EXECUTE) === READ_AND_EXECUTE;
  if (isForAll && linked(process.execPath, target)) return;
  copyFileSync(process.execPath, target);
  chmodSync(target, 0o755);
}

/** Copies what another user needs to a folder that this user can enter, until the test file is done. */
function copied(): Pick<TestUser, 'node' | 'root'> | undefined {
  const open = openFolder();
  if (open === undefined) return undefined;
  const root = mkdtempSync(join(open, 'cloister-open-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  for (const part of PARTS) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  const binding = bindingPath(packageRoot());
  const prebuilds = join(root, 'prebuilds', basename(dirname(binding)));
  mkdirSync(prebuilds, { recursive: true });
  copyFileSync(binding, join(prebuilds, basename(binding)));
  spawnSync('chmod', ['-R', 'a+rX', root]);
  const node = join(root, 'node');
  provideNode(node);
  return { node, root };
}

function ordinaryUser(): TestUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [program = '', ...args] = COMMAND;
  if (spawnSync(program, [...args, 'true']).status !== 0) return skipped('setpriv cannot change the user');
  const place = isOpenToAll() ? SELF : copied();
  if (place === undefined) return skipped('no folder for temporary files is open to all users');
  return { ...SELF, ...place, user: 'an ordinary user', before: COMMAND };
}

/** Whom the tests of this machine run as: an ordinary user too where that is possible. Call it while tests are collected. */
export function testUsers(): readonly TestUser[] {
  const ordinary = ordinaryUser();
  return ordinary === undefined ? [SELF] : [SELF, ordinary];
}
