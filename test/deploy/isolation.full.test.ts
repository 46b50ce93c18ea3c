// The isolation level that docs/hosting.md promises of the container: the server under what the flags of compose.yaml leave it,
// with tools of the machine in the place of Docker, which no test can count on.
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOpenToAll } from '../helpers/sandbox/users.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { isProgramInstalled } from '../helpers/server-process/programs.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const USER = 1000;

let workspace: Workspace;
let server: ServerProcess | undefined;

beforeEach(() => {
  workspace = createWorkspace();
  const { cwd } = workspace;
  for (const name of ['data', '.cache']) mkdirSync(join(cwd, name));
  chmodSync(cwd, 0o755);
  for (const name of ['.', ...readdirSync(cwd, { recursive: true })])
    if (process.getuid?.() === 0) chownSync(join(cwd, String(name)), USER, USER);
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  workspace.remove();
});

async function sandboxStatus(under: readonly string[]) {
  server = await spawnServer({ cwd: workspace.cwd, under });
  const { request } = await connectClient(server.url);
  const status = async () => (await request('GET', '/api/status')).body.sandbox;
  await expect.poll(async () => (await status()).selfTest.state).toMatch(/passed|failed/);
  const { level, selfTest } = await status();
  return { level, selfTest: selfTest.state };
}

/** Root can give the server what a container gives it; anybody else is told that this is not tested. */
function canPlayContainer(): boolean {
  if (process.getuid?.() === 0 && isOpenToAll()) return true;
  console.warn(
    '\n*** not root, or others cannot enter the checkout: the level of a container is not tested ***\n',
  );
  return false;
}

/** A read-only root, an ordinary user without capabilities, no new privileges: `read_only`, `user`, `cap_drop`, `security_opt`. */
const CONTAINER = [
  ...['unshare', '--mount', '--propagation', 'private', 'sh', '-euc'],
  // Temporary files and data stay writable, as by `tmpfs` and `volumes`.
  'mount --bind "$1" "$1"; mount --bind /tmp /tmp; mount -o remount,ro,bind /; shift; exec "$@"',
  'sh',
];
const ORDINARY = [
  ...['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--bounding-set=-all'],
  ...['--inh-caps=-all', '--no-new-privs', '--'],
];

describe.skipIf(!canPlayContainer() || !isProgramInstalled('bwrap', 'apt-get install bubblewrap'))(
  'in a container with a read-only root, as an ordinary user without capabilities',
  () => {
    it('the sandbox is of level 3 where namespaces are allowed', async () => {
      const under = [...CONTAINER, workspace.cwd, ...ORDINARY];
      expect(await sandboxStatus(under)).toEqual({ level: 3, selfTest: 'passed' });
    });

    it('the sandbox is of level 1 where they are not, as by the default profile of Docker', async () => {
      const { cwd } = workspace;
      const alone = ['bwrap', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'];
      const under = [...ORDINARY, ...alone, '--dev-bind', '/', '/', '--chdir', cwd, '--'];
      expect(await sandboxStatus(under)).toEqual({ level: 1, selfTest: 'passed' });
    });
  },
);
