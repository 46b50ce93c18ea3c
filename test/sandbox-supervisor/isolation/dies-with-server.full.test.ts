// A host outlives nobody: killed with SIGKILL, the server takes along a host that hangs where nothing but a kill ends it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { findSystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { pathFor, type TestUser, testUsers } from '../../helpers/sandbox/users.ts';
import { pollWithin } from '../../helpers/server-process/timing.ts';

const SERVER = new URL('./doomed-server.ts', import.meta.url);
/** One that is not taken along hangs for ever. */
const WITHIN_MS = 10_000;

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** What the kernel says of a process, or undefined when it is gone (or only waits for its parent to notice). */
function stateOf(pid: number): string | undefined {
  try {
    const state = /\) (.) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    return state === 'Z' || state === 'X' ? undefined : state;
  } catch {
    return undefined;
  }
}

async function hangingHost(tools: readonly string[], user: TestUser) {
  const [program = '', ...args] = [...user.before, user.node, pathFor(user, SERVER), ...tools];
  const server = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: '/usr/bin:/bin' },
  });
  started.push(server);
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  return {
    server,
    ...(JSON.parse(line) as { host: number; spawned: number; layers: Record<string, boolean> }),
  };
}

/** Kills the server, and fails where one of the others stays. */
async function expectGoneAfterKill({ server, host, spawned }: Awaited<ReturnType<typeof hangingHost>>) {
  server.kill('SIGKILL');
  await pollWithin(WITHIN_MS, () =>
    expect([stateOf(host), stateOf(spawned)]).toEqual([undefined, undefined]),
  );
}

const MECHANISMS = [
  { name: 'bubblewrap', tools: ['sh', 'env', 'bwrap'], needs: 'bwrap', bound: true },
  { name: 'setpriv', tools: ['sh', 'env', 'setpriv'], needs: 'setpriv', bound: true },
  { name: 'the lock of the host', tools: ['sh', 'env'], needs: 'sh', bound: false },
  { name: 'the lock of the host, without a shell', tools: [], needs: undefined, bound: false },
] as const;

const USERS = testUsers();

describe.runIf(process.platform === 'linux')('a host whose server is killed', () => {
  for (const { name, tools, needs, bound } of MECHANISMS) {
    for (const user of USERS) {
      it(`ends by ${name}, as ${user.user}`, async () => {
        if (needs !== undefined && !Object.hasOwn(findSystemTools(), needs))
          console.warn(`this machine has no ${needs}`);
        const hanging = await hangingHost(tools, user);
        await expect.poll(() => stateOf(hanging.host)).toBe('R');
        if (needs !== undefined && Object.hasOwn(findSystemTools(), needs)) {
          expect(hanging.layers['diesWithServer']).toBe(bound);
        }
        await expectGoneAfterKill(hanging);
      });
    }
  }
});
