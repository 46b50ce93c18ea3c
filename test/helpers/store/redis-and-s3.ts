// Real Redis and S3 servers, each on a port and a folder of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { createClient } from '@redis/client';
import type { CacheStore } from '../../../src/stores/ports.ts';
import { ROOT } from '../fixtures/source-tree.ts';
import { freePort, resumeProcess, suspendProcess } from '../server-process/server-process.ts';

const REDIS_BINARY = join(ROOT, '.servers', 'redis-server');

/** Entries of tests that move the clock are kept for so many times as long: a machine that stalls must not end them. */
const SLOWER = 1000;
/** Milliseconds: such tests keep entries for whole halves of seconds. */
const STEP_MS = 500 * SLOWER;

/** The same cache, for tests that move the clock of its server by `advance`. */
export function withSlowClock(cache: CacheStore): CacheStore {
  return { ...cache, set: (key, value, ttl) => cache.set(key, value, ttl < 1 ? ttl : ttl * SLOWER) };
}

export interface RedisServer {
  readonly url: string;
  command(...args: readonly string[]): Promise<unknown>;
  /** Lets every key that was set `withSlowClock` come so many milliseconds nearer to its end. */
  advance(milliseconds: number): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
  /** Kills it and starts it again on its port. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** Absent on a developer's machine: said aloud and skipped. Absent where everything must run: a failure. */
export function hasRedis(): boolean {
  if (existsSync(REDIS_BINARY)) return true;
  const missing = '.servers/redis-server is not installed: npm run test:servers';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}; the tests that need it are skipped ***\n`);
  return false;
}

/** Resolves with undefined when the server ends before it takes connections. */
async function launchRedis(port: number): Promise<ChildProcess | undefined> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir(), '--save', ''];
  const child = spawn(REDIS_BINARY, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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
    const child = await launchRedis(port);
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
          // From here on time stands still for the key, but for what is said here.
          if (left > 0) remaining.set(key, Math.ceil(left / STEP_MS) * STEP_MS);
          await send('PERSIST', key);
          remaining.set(key, (remaining.get(key) ?? 0) - milliseconds * SLOWER);
          if ((remaining.get(key) ?? 0) <= 0) await send('DEL', key);
        }
      }),
    freeze: () => suspendProcess(child.pid ?? 0),
    thaw: () => resumeProcess(child.pid ?? 0),
    async restart() {
      await end(child);
      const again = await launchRedis(started.port);
      if (again === undefined) throw new Error('redis-server does not start again');
      child = again;
    },
    dispose: () => end(child),
  };
}

const S3_BINARY = join(ROOT, '.servers', 'versitygw');
const LAUNCH_MS = 30_000;
const ACCESS_KEY = 'access';
const SECRET_KEY = 'secret of the tests';

export interface S3Server {
  readonly endpoint: string;
  /** Settings of a new, empty bucket. */
  createBucket(): Promise<BucketAccess>;
  client: S3Client;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, on its data and its port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface BucketAccess {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucketName: string;
  readonly region: string;
  readonly endpoint: string;
  readonly forcePathStyle: true;
}

/** Whether the server can be started. Warns when it is not installed; throws in CI. */
export function isS3ServerInstalled(): boolean {
  if (existsSync(S3_BINARY)) return true;
  const missing = '.servers/versitygw is not installed: npm run test:servers';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}; the tests that need it are skipped ***\n`);
  return false;
}

async function launchS3(folder: string, port: number): Promise<ChildProcess | undefined> {
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', join(folder, 'buckets')];
  const env = { PATH: process.env['PATH'], ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY };
  const child = spawn(S3_BINARY, args, { cwd: folder, env, stdio: 'ignore' });
  const giveUp = Date.now() + LAUNCH_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer !== undefined) return child;
    if (Date.now() > giveUp) throw new Error('versitygw does not answer');
    await pause(20);
  }
  return undefined;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Starts a server on a folder whose file system has extended attributes. */
export async function launchS3Server(): Promise<S3Server> {
  // Once more than there are places: a port that was free a moment ago may be another's by then.
  for (const parent of [tmpdir(), join(ROOT, '.servers'), tmpdir()]) {
    const port = await freePort();
    const folder = mkdtempSync(join(parent, 'cloister-s3-'));
    mkdirSync(join(folder, 'buckets'));
    let child = await launchS3(folder, port);
    const remove = () => rmSync(folder, { recursive: true, force: true });
    if (child === undefined) {
      remove();
      continue;
    }
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    // It goes with the process that asked for it, even when that is interrupted.
    process.once('exit', () => {
      child?.kill('SIGKILL');
      remove();
    });
    return {
      endpoint,
      client,
      async createBucket() {
        const bucketName = `test-${randomBytes(6).toString('hex')}`;
        await client.send(new CreateBucketCommand({ Bucket: bucketName }));
        const keys = { accessKey: ACCESS_KEY, secretKey: SECRET_KEY };
        return { ...keys, bucketName, region: 'us-east-1', endpoint, forcePathStyle: true };
      },
      async kill() {
        if (child !== undefined) await killed(child);
      },
      async start() {
        child = await launchS3(folder, port);
      },
      async stop() {
        if (child !== undefined) await killed(child);
        client.destroy();
        remove();
      },
    };
  }
  throw new Error(
    'versitygw starts neither on the temporary folder nor beside its binary: extended attributes?',
  );
}

/** Every object of a bucket below a prefix, and every multipart upload as `parts of <key>`, without the prefix. */
export async function objectsIn(
  client: S3Client,
  Bucket: string,
  prefix: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
    keys.push(...Contents.map(({ Key = '' }) => Key.slice(prefix.length)));
  }
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  const uploads = Uploads.map(({ Key = '' }) => `parts of ${Key.slice(prefix.length)}`);
  return [...keys, ...uploads].sort();
}
