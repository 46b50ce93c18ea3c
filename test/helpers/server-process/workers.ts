// A server of several worker processes, and requests that reach one of them: each on a connection of its own.
import { request as httpRequest } from 'node:http';
import { type Answer, type Client, connectClient } from './client.ts';
import { type ServerProcess, spawnServer } from './server-process.ts';

export interface WorkerServer {
  readonly server: ServerProcess;
  readonly client: Client;
  /** The same client, which sends again what is refused with 503: a machine that stalls cuts workers off from each other. */
  readonly patient: Client;
  /** Sends a request over a new connection, again while it is refused with 503. The answer may be that of any worker. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Process ids of the workers that are known, by the status of one of them. */
  pids(): Promise<readonly number[]>;
}

interface Options {
  readonly cwd: string;
  readonly count: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** JSON over a connection that is closed after the answer; a text is sent as code. */
export function askOnce(
  url: string,
  token: string,
  [method, path, body]: readonly [string, string, unknown?],
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/javascript' : 'application/json';
  return new Promise<Answer>((resolve, reject) => {
    const asking = httpRequest(
      url + path,
      {
        method,
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          connection: 'close',
          ...(text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const got = Buffer.concat(chunks).toString();
          const isJson = /json/.test(answer.headers['content-type'] ?? '');
          const parsed = isJson && got !== '' ? JSON.parse(got) : got;
          resolve({ status: answer.statusCode ?? 0, headers: new Headers(), body: parsed });
        });
      },
    );
    asking.on('error', reject);
    asking.end(text);
  });
}

async function whileBusy(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

/** Resolves when all workers are known to each other. */
export async function startWorkers({ cwd, count, env = {} }: Options): Promise<WorkerServer> {
  const server = await spawnServer({ cwd, env: { ...env, CLOISTER_SERVER_WORKERS: String(count) } });
  try {
    const client = await connectClient(server.url);
    const patient: Client = {
      token: client.token,
      request: (...asked) => whileBusy(() => client.request(...asked)),
    };
    const ask: WorkerServer['ask'] = (...asked) => whileBusy(() => askOnce(server.url, client.token, asked));
    const pids = async () => {
      const { body } = await ask('GET', '/api/status');
      return (body.processes as readonly { pid: number }[]).map(({ pid }) => pid);
    };
    while ((await pids()).length < count);
    return { server, client, patient, ask, pids };
  } catch (error) {
    await server.stop('SIGKILL');
    throw new Error(`${error instanceof Error ? error.message : error}\n${server.output().slice(-4000)}`);
  }
}
