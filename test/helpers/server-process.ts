// The real server in a process of its own, as an operator starts it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './source-tree.ts';

export const ADMIN = { clientId: 'admin', secret: 'a secret for tests only' };

const READY_WITHIN_MS = 15_000;

export interface ServerProcess {
  readonly url: string;
  /** Of the delivery listener. */
  readonly deliveryUrl: string;
  readonly process: ChildProcess;
  /** Milliseconds from spawn to the first 200. */
  readonly readyMs: number;
  /** Everything printed so far. */
  output(): string;
  /** Sends the signal and resolves with the exit code once the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A port that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

interface SpawnOptions {
  readonly cwd: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What must answer 200 before the start counts as done: `/health` unless given. */
  readonly until?: '/health' | '/hello';
}

/** Resolves with the address once `path` answers 200. `address` is undefined until the server has said it. */
async function untilReady(address: () => string | undefined, path: string, ended: Promise<never>) {
  const giveUp = Date.now() + READY_WITHIN_MS;
  while (Date.now() < giveUp) {
    const url = address();
    const asked = url === undefined ? undefined : fetch(url + path).catch(() => undefined);
    const answer = await Promise.race([ended, asked]);
    await answer?.arrayBuffer();
    if (url !== undefined && answer?.status === 200) return url;
    await pause(5);
  }
  throw new Error(`no 200 from ${path} within ${READY_WITHIN_MS} ms`);
}

/** Starts `cloister start` in `cwd` with the admin of `ADMIN`, and resolves when it is ready. */
export async function spawnServer(options: SpawnOptions): Promise<ServerProcess> {
  // Unless told: any free one, chosen when it is bound. One that was free a moment ago may be another worker's by then.
  const port = options.port ?? 0;
  const from = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'src/cloister.js'), 'start', '--port', String(port)], {
    cwd: options.cwd,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      CLOISTER_SERVER_HOST: '127.0.0.1',
      CLOISTER_DELIVERY_HOST: '127.0.0.1',
      CLOISTER_DELIVERY_PORT: '0',
      CLOISTER_ADMIN_ID: ADMIN.clientId,
      CLOISTER_ADMIN_SECRET: ADMIN.secret,
      ...options.env,
    },
  });
  let printed = '';
  const collect = (chunk: Buffer) => {
    printed += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return gone;
  };
  const ended = gone.then((code) => {
    throw new Error(`the server ended with ${code}: ${printed.slice(-4000)}`);
  });
  ended.catch(() => undefined);
  const addressOf = (listener: string) => {
    const bound = new RegExp(`^${listener} ready at http://\\S+:(\\d+)$`, 'm').exec(printed)?.[1];
    return bound && `http://127.0.0.1:${bound}`;
  };
  // The delivery listener is the last to be ready.
  const address = () => addressOf('delivery') && addressOf('content API');
  try {
    const url = await untilReady(address, options.until ?? '/health', ended);
    const deliveryUrl = addressOf('delivery') ?? '';
    return {
      url,
      deliveryUrl,
      process: child,
      readyMs: performance.now() - from,
      output: () => printed,
      stop,
    };
  } catch (error) {
    await stop('SIGKILL');
    throw new Error(`${error instanceof Error ? error.message : error}\n${printed.slice(-4000)}`);
  }
}
