// Real processes: the server, one command, a shell script of the documentation; SIGSTOP and SIGCONT (Linux).

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { ROOT } from '../fixtures/source-tree.ts';

export const ADMIN = { clientId: 'admin', secret: 'a secret for tests only' };

/** Counted in the pauses between looks: while the machine stalls, the server does not get on either. */
const READY_WITHIN_MS = 45_000;
const READY_STEP_MS = 5;

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
  /** A command that becomes the command behind it, such as `prlimit --nofile=99`; none unless given. */
  readonly under?: readonly string[];
  /** What must answer 200 before the start counts as done: `/health` unless given. */
  readonly until?: '/health' | '/hello';
}

/** Resolves with the address once `path` answers 200. `address` is undefined until the server has said it. */
async function untilReady(address: () => string | undefined, path: string, ended: Promise<never>) {
  for (let waited = 0; waited < READY_WITHIN_MS; waited += READY_STEP_MS) {
    const url = address();
    const asked = url === undefined ? undefined : fetch(url + path).catch(() => undefined);
    const answer = await Promise.race([ended, asked]);
    await answer?.arrayBuffer();
    if (url !== undefined && answer?.status === 200) return url;
    await pause(READY_STEP_MS);
  }
  throw new Error(`no 200 from ${path} within ${READY_WITHIN_MS} ms`);
}

/** Starts `cloister start` in `cwd` with the admin of `ADMIN`, and resolves when it is ready. */
export async function spawnServer(options: SpawnOptions): Promise<ServerProcess> {
  // Unless told: any free one, chosen when it is bound. One that was free a moment ago may be another worker's by then.
  const port = options.port ?? 0;
  const from = performance.now();
  const script = join(ROOT, 'src/cloister.js');
  const [program = '', ...args] = [
    ...(options.under ?? []),
    ...[process.execPath, script, 'start', '--port', String(port)],
  ];
  const child = spawn(program, args, {
    cwd: options.cwd,
    stdio: 'pipe',
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

export interface CommandProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. `code` is null when a signal ended it. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `cloister` with these arguments; nobody writes to its standard input. */
export function spawnCommand(args: readonly string[], { cwd, env }: CommandOptions): CommandProcess {
  const child = spawn(process.execPath, [join(ROOT, 'src/cloister.js'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, said }));
  });
  return { child, ended };
}

/** Stopped, dead, or about to be removed. */
const STILL = ['T', 'Z', 'X'];

function isStill(pid: number, thread: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The name before the state may hold anything, but ends with the last `)`.
    return STILL.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch (error) {
    // It ends before it is opened, or between that and its reading.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    throw error;
  }
}

/** SIGSTOP. Resolves when no thread runs any more: the signal alone is on its way when `kill` returns. */
export async function suspendProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = () => readdirSync(`/proc/${pid}/task`);
  while (!threads().every((thread) => isStill(pid, thread))) await setImmediate();
}

export function resumeProcess(pid: number): void {
  process.kill(pid, 'SIGCONT');
}

/** The blocks of a page that are fenced with ```bash, in their order. */
export function bashBlocksOf(page: string): readonly string[] {
  return [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

/**
 * Runs a script in the folder of the checkout, with the credentials of the first admin; it stops at the first command that
 * fails. Resolves with what it printed.
 */
export function bash(script: string): Promise<{ code: number | null; printed: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        CLOISTER_ADMIN_ID: ADMIN.clientId,
        CLOISTER_ADMIN_SECRET: ADMIN.secret,
      },
    });
    let printed = '';
    const collect = (chunk: Buffer) => {
      printed += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, printed }));
  });
}
