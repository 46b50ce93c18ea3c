// The installed command, started and used as by a person.
import { spawn } from 'node:child_process';
import { connectClient } from '../../test/helpers/server-process/client.ts';
import { ADMIN, freePort } from '../../test/helpers/server-process/server-process.ts';
import { imageAnswer } from './image-answer.ts';

const READY_WITHIN_MS = 20_000;

/** Posts code and resolves with what it answers: that the sandbox was shipped whole. */
async function endpointAnswer(url: string): Promise<string> {
  const { token } = await connectClient(url);
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

/** Resolves with what /health says once it says 200. */
async function untilHealthy(url: string, ended: Promise<never>): Promise<string> {
  const giveUp = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUp) {
    const answer = await Promise.race([ended, fetch(`${url}/health`).catch(() => undefined)]);
    if (answer?.ok === true) return answer.text();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the installed server did not answer within ${READY_WITHIN_MS} ms`);
}

/** Runs `npx cloister start` in a folder. Resolves with what /health, an endpoint and delivery say; rejects when it ends or stays silent. */
export async function tryOut(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [port, deliveryPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(
    'npx',
    ['cloister', 'start', '--port', `${port}`, '--delivery-port', `${deliveryPort}`],
    {
      cwd,
      env: {
        ...env,
        CLOISTER_ADMIN_ID: ADMIN.clientId,
        CLOISTER_ADMIN_SECRET: ADMIN.secret,
        CLOISTER_SERVER_TRUST_PROXY: '1',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      // A group of its own: what ends is npx and the server below it, as by Ctrl-C.
      detached: true,
    },
  );
  const gone = new Promise<number | null>((resolve) => server.once('exit', resolve));
  const ended = gone.then((code) => {
    throw new Error(`the installed server ended with ${code}`);
  });
  ended.catch(() => undefined);
  try {
    const health = await untilHealthy(url, ended);
    const image = await imageAnswer(url, `http://127.0.0.1:${deliveryPort}`);
    return `${health}, ${await endpointAnswer(url)}, ${image}`;
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGINT');
    await gone;
  }
}
