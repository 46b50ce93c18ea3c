// The real servers that tests may talk to: installed by `npm run test:servers`, started here once each.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';
import { freePort } from './helpers/server-process/server-process.ts';

const binary = (name: string) => join(ROOT, '.servers', name);

/** Absent on a developer's machine: said aloud and skipped. Absent where everything must run: a failure. */
function absent(name: string): boolean {
  if (existsSync(binary(name)) || process.env['CI'] === 'true') return false;
  console.warn(`\n*** ${name} is not installed, its test is skipped: npm run test:servers ***\n`);
  return true;
}

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-servers-'));
  children = [];
});

afterEach(async () => {
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.pid === undefined) return resolve();
          child.once('exit', () => resolve());
          child.kill('SIGKILL');
        }),
    ),
  );
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server and resolves with all it printed once `sign` appears; rejects when it ends before. */
function started(name: string, args: readonly string[], sign: RegExp, env = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary(name), args, { env: { ...process.env, ...env } });
    children.push(child);
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (sign.test(printed)) resolve(printed);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${printed.slice(-2000)}`)));
  });
}

describe('real servers', () => {
  it.skipIf(absent('mongod'))('mongod accepts connections', async () => {
    const port = await freePort();
    const args = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
    expect(await started('mongod', args, /Waiting for connections/)).toContain(`"port":${port}`);
  });

  it.skipIf(absent('redis-server'))('redis-server accepts connections', async () => {
    const port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    expect(await started('redis-server', args, /Ready to accept connections/)).toContain(String(port));
  });

  it.skipIf(absent('versitygw'))('versitygw answers HTTP', async () => {
    const port = await freePort();
    const keys = { ROOT_ACCESS_KEY: 'test', ROOT_SECRET_KEY: 'test-secret' };
    await started('versitygw', ['--port', `127.0.0.1:${port}`, 'posix', folder], new RegExp(`${port}`), keys);
    // It names its port before it listens.
    const answer = () => fetch(`http://127.0.0.1:${port}/`).then((response) => response.text(), String);
    await expect.poll(answer).toContain('<Code>AccessDenied</Code>');
  });
});
