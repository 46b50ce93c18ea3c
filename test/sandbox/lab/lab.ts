// A process with the flags of a real host, in which tests run guests. Not locked in: the layers have tests of their own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Inspection, LoadOptions } from '../../../sandbox/protocol.ts';

const FLAGS = ['--no-node-snapshot', '--jitless', '--js-nonextensible-applies-to-private', '--no-warnings'];
const DRIVER = fileURLToPath(new URL('driver.js', import.meta.url));

export type Event = [number: number, kind: string, head: string, body: string];

export interface Turn {
  readonly end: { readonly error: string | null; readonly message?: string };
  readonly events: readonly Event[];
  readonly disposed: boolean;
}

export interface GuestCallAnswer {
  readonly ok: boolean;
  readonly value: unknown;
}

/** For a turn, or for loading, unless a test is about the clock: no machine is so slow. */
const PATIENCE_MS = 15_000;

export type Options = Partial<LoadOptions> & { readonly name?: string };

export const DEFAULTS: LoadOptions & { name: string } = {
  kind: 'endpoint',
  isolation: 'realm',
  name: 'endpoint.test.js',
  loadMs: PATIENCE_MS,
  cpuMs: PATIENCE_MS,
  wallMs: PATIENCE_MS,
  heapMb: 64,
  responseBytes: 1_048_576,
  logBytes: 65_536,
  logLines: 100,
  hostCalls: 50,
  timers: 20,
  timerMs: 5_000,
  model: true,
  fetch: true,
  bcrypt: true,
  config: '{}',
};

const REQUEST = {
  method: 'GET',
  url: '/1.0/test',
  path: '/1.0/test',
  params: {},
  query: {},
  headers: {},
  bodyType: 'none',
  client: null,
  ip: '192.0.2.1',
};

export const headOf = (request: object = {}) => JSON.stringify({ ...REQUEST, ...request });

/** `readline` also ends lines where only JavaScript does. */
const lineOf = (value: object) =>
  `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;

export async function openLab() {
  const child = spawn(process.execPath, [...FLAGS, DRIVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let lastId = 0;

  async function send<T>(op: string, command: object = {}): Promise<T> {
    child.stdin.write(lineOf({ op, ...command }));
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the process with the guests is gone');
    const answer = JSON.parse(value) as T & { failed?: string };
    if (answer.failed !== undefined) throw new Error(answer.failed);
    return answer;
  }

  async function guest(source: string, options: Options = {}) {
    lastId += 1;
    const id = lastId;
    await send('guest', { id, options: { ...DEFAULTS, ...options, source } });
    return {
      start: (number: number, head = headOf(), body = '', ms = PATIENCE_MS) =>
        send<Turn>('start', { id, number, head, body, ms }),
      deliver: (number: number, call: number, { ok, value }: GuestCallAnswer, ms = PATIENCE_MS) =>
        send<Turn>('deliver', { id, number, ms, call: { call, ok, text: JSON.stringify(value) } }),
      forget: (number: number) => send<Turn>('forget', { id, number }),
      heapBytes: async () => (await send<{ bytes: number }>('heap', { id })).bytes,
      repeat: (count: number, every: number, head = headOf(), body = '') =>
        send<{ events: Event[]; heap: number[]; disposed: boolean; rss: number }>('repeat', {
          id,
          count,
          every,
          head,
          body,
          ms: PATIENCE_MS,
        }),
      dispose: () => send('dispose', { id }),
    };
  }

  return {
    guest,
    inspect: (source: string, options: object = {}) =>
      send<Inspection>('inspect', {
        source,
        options: { kind: 'endpoint', loadMs: PATIENCE_MS, heapMb: 64, ...options },
      }),
    versions: () => send<Record<string, string>>('versions'),
    close() {
      child.kill('SIGKILL');
    },
  };
}

export type Lab = Awaited<ReturnType<typeof openLab>>;
