// The start and the end of a server of two workers, as whoever starts it sees them.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { spawnCommand } from '../../helpers/server-process/server-process.ts';
import { startWorkers } from '../../helpers/server-process/workers.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const WORKERS = { CLOISTER_SERVER_WORKERS: '2', CLOISTER_SERVER_HOST: '127.0.0.1' };

function workspace() {
  const made = createWorkspace();
  onTestFinished(() => made.remove());
  return made;
}

/** Runs a start that cannot succeed; resolves with its exit code and the lines that are no log. */
async function failingStart(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { cwd } = workspace();
  const { ended } = spawnCommand(['start', '--delivery-port', '0', ...args], {
    cwd,
    env: { ...WORKERS, ...env },
  });
  const { code, said } = await ended;
  return {
    code,
    lines: said.split('\n').filter((line) => line.startsWith('cloister:') || /must be/.test(line)),
  };
}

it('a start of two workers whose port is taken ends with 1 and says so once', async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const { code, lines } = await failingStart(['--port', String(port)]);
  const message = `cloister: cannot listen on 127.0.0.1:${port}: another process listens there`;
  expect([code, lines]).toEqual([1, [message]]);
});

it('a start of two workers that fails in the first of them ends with 1 and says so once', async () => {
  const { code, lines } = await failingStart(['--port', '0'], { CLOISTER_SANDBOX_POLICY_FILE: 'none.json' });
  expect([code, lines.length]).toEqual([1, 1]);
  expect(lines[0]).toMatch(/none\.json/);
});

it('a number of workers that there cannot be is named with what may be', async () => {
  const { code, lines } = await failingStart([], { CLOISTER_SERVER_WORKERS: '65' });
  expect([code, lines]).toEqual([1, [expect.stringMatching(/^CLOISTER_SERVER_WORKERS.*64/)]]);
});

it('a second server does not get the data folder of two workers, and is told who has it', async () => {
  const { cwd } = workspace();
  const { server } = await startWorkers({ cwd, count: 2 });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  for (const workers of ['1', '2']) {
    const env = { ...WORKERS, CLOISTER_SERVER_WORKERS: workers };
    const { code, said } = await spawnCommand(['start', '--port', '0', '--delivery-port', '0'], { cwd, env })
      .ended;
    expect(code).toBe(1);
    expect(said).toContain(`another server has the data folder ${cwd}/data: process ${server.process.pid}`);
  }
});

/** A request whose body never comes: a server that stops waits for it. Resolves when a worker has it. */
async function holdRequest(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(
    `POST /token HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 100 /);
}

it('a second signal ends two workers at once, and SIGKILL of the first process ends them too', async () => {
  const { cwd } = workspace();
  // Nothing ends by itself, however long the test takes.
  const env = { CLOISTER_SERVER_SHUTDOWN_SECONDS: '600' };
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const { server, pids } = await startWorkers({ cwd, count: 2, env });
    const workers = await pids();
    await holdRequest(server.url);
    if (signal === 'SIGINT') {
      server.process.kill(signal);
      // Two signals at once are one: it must have had the first.
      await expect.poll(() => server.output()).toContain('"msg":"stopping: ');
    }
    expect(await server.stop(signal)).toBe(signal === 'SIGINT' ? 130 : null);
    const isGone = (pid: number) => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    await expect.poll(() => workers.every(isGone)).toBe(true);
  }
});
