// Proves that what `npm pack` makes can be installed and started: packs, installs the tarball into an empty folder
// from the registry, starts the server there with plain Node, asks for /health, and posts and calls an endpoint.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { connect } from '../test/helpers/client.ts';
import { ADMIN, freePort } from '../test/helpers/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const READY_WITHIN_MS = 20_000;

function pack(into: string): string {
  execFileSync('npm', ['pack', '--pack-destination', into], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const file = readdirSync(into).find((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new Error('npm pack wrote no tarball');
  return join(into, file);
}

function install(tarball: string, into: string): string {
  writeFileSync(join(into, 'package.json'), '{"private":true}\n');
  // Packages may look at the Node that installs them: it is the one that will run them.
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: into, env, stdio: 'inherit' });
  return join(into, 'node_modules', '.bin', 'cloister');
}

/** Posts code and resolves with what it answers: that the sandbox was shipped whole. */
async function endpointAnswer(url: string): Promise<string> {
  const { token } = await connect(url);
  const posted = await fetch(`${url}/1.0/hello/config`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: "module.exports.get = (req, res) => res.json({ hello: 'sandbox' });",
  });
  if (!posted.ok) throw new Error(`the endpoint was refused: ${posted.status} ${await posted.text()}`);
  const answer = await fetch(`${url}/1.0/hello`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`the endpoint failed: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

/** Resolves with what /health and an endpoint say; rejects when the server ends or stays silent. */
async function tryOut(command: string, cwd: string): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [command, 'start', '--port', String(port)], {
    cwd,
    env: { ...process.env, CLOISTER_ADMIN_ID: ADMIN.clientId, CLOISTER_ADMIN_SECRET: ADMIN.secret },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise<never>((_, reject) => {
    server.once('exit', (code) => reject(new Error(`the installed server ended with ${code}`)));
  });
  ended.catch(() => undefined);
  try {
    const giveUp = Date.now() + READY_WITHIN_MS;
    while (Date.now() < giveUp) {
      const answer = await Promise.race([ended, fetch(`${url}/health`).catch(() => undefined)]);
      if (answer?.ok === true) return `${await answer.text()}, ${await endpointAnswer(url)}`;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the installed server did not answer within ${READY_WITHIN_MS} ms`);
  } finally {
    server.removeAllListeners('exit');
    server.kill('SIGKILL');
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cloister-package-'));
try {
  const command = install(pack(folder), folder);
  console.log(`package check: the installed server answered ${await tryOut(command, folder)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
