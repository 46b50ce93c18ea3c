// The two that store uploads, each in a process of its own, in folders of the same disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../test/helpers/client.ts';
import { freePort, spawnServer } from '../../test/helpers/server-process.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';
import type { Target } from '../measure.ts';

export const PICTURES = '/1.0/bench/pictures';
export const BOOKS = '/1.0/bench/books';
export const BARE_UPLOAD = '/upload';

const SPECS = {
  '1.0/bench/pictures': { fields: { caption: { type: 'String' } }, settings: { type: 'media' } },
  '1.0/bench/books': { fields: { title: { type: 'String' } }, settings: { count: 20 } },
};
const BOOK_COUNT = 1000;

export interface Contestant extends Target {
  stop(): Promise<void>;
}

/** Cloister with a media collection and a thousand books, authentication on. */
export async function startCloister(): Promise<Contestant> {
  const config = { auth: { tokenTtl: 86_400 }, media: { maxFileSize: 4_294_967_296 } };
  const workspace = createWorkspace(SPECS, config);
  const server = await spawnServer({ cwd: workspace.cwd, env: { CLOISTER_LOGGING_LEVEL: 'error', CI: '' } });
  const client = await connect(server.url);
  await client.request(
    'POST',
    BOOKS,
    Array.from({ length: BOOK_COUNT }, (_, n) => ({ title: `Book ${n}` })),
  );
  return {
    url: server.url,
    pid: server.process.pid ?? 0,
    headers: { authorization: `Bearer ${client.token}` },
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}

/** A bare Fastify that writes the files of forms to a folder. */
export async function startBare(): Promise<Contestant> {
  const workspace = createWorkspace();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const script = join(import.meta.dirname, 'bare-server.ts');
  const child = spawn(process.execPath, [script, workspace.cwd, String(port)], { stdio: 'inherit' });
  const exit = once(child, 'exit');
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the bare server ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    url,
    pid: child.pid ?? 0,
    headers: {},
    async stop() {
      child.kill('SIGKILL');
      await exit;
      workspace.remove();
    },
  };
}
