// Starts real Redis servers out of `.servers`, each on a port of its own, keeping nothing on the disk.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freeze, thaw } from './freeze.ts';
import { freePort } from './server-process.ts';
import { ROOT } from './source-tree.ts';

const BINARY = join(ROOT, '.servers', 'redis-server');

export interface RedisServer {
  readonly url: string;
  command(...args: readonly string[]): Promise<unknown>;
  /** Lets every key come so many milliseconds nearer to its end. */
  advance(milliseconds: number): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
  /** Kills it and starts it again on its port. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** Absent on a developer's machine: said aloud and skipped. Absent where everything must run: a failure. */
export function hasRedis(): boolean {
  if (existsSync(BINARY)) return true;
  const missing = '.servers/redis-server is not installed: npm run test:servers';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}; the tests that need it are skipped ***\n`);
  return false;
}

/** Resolves with undefined when the server ends before it takes connections. */
async function launch(port: number): Promise<ChildProcess | undefined> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir(), '--save', ''];
  const child = spawn(BINARY, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes('Ready to accept connections')) return child;
  }
  return undefined;
}

/** On a port that was free a moment ago: another may have taken it, so that a second one is tried. */
async function launchSomewhere(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const port = await freePort();
    const child = await launch(port);
    if (child !== undefined) return { child, port };
  }
  throw new Error('redis-server does not start');
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Starts a server and resolves when it takes connections. */
export async function startRedis(): Promise<RedisServer> {
  const started = await launchSomewhere();
  const url = `redis://127.0.0.1:${started.port}`;
  let { child } = started;
  const remaining = new Map<string, number>();
  const withClient = async <T>(work: (send: (...args: string[]) => Promise<unknown>) => Promise<T>) => {
    const client = await createClient({ url }).connect();
    try {
      return await work((...args) => client.sendCommand(args));
    } finally {
      client.destroy();
    }
  };
  return {
    url,
    command: (...args) => withClient((send) => send(...args)),
    advance: (milliseconds) =>
      withClient(async (send) => {
        for (const key of (await send('KEYS', '*')) as string[]) {
          const left = Number(await send('PTTL', key));
          // From here on time stands still for the key, but for what is said here. Tests set whole halves of seconds.
          if (left > 0) remaining.set(key, Math.ceil(left / 500) * 500);
          await send('PERSIST', key);
          remaining.set(key, (remaining.get(key) ?? 0) - milliseconds);
          if ((remaining.get(key) ?? 0) <= 0) await send('DEL', key);
        }
      }),
    freeze: () => freeze(child.pid ?? 0),
    thaw: () => thaw(child.pid ?? 0),
    async restart() {
      await end(child);
      const again = await launch(started.port);
      if (again === undefined) throw new Error('redis-server does not start again');
      child = again;
    },
    dispose: () => end(child),
  };
}
