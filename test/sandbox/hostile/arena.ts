// A real application with a good neighbour in it, and what it takes to set an attack upon it over HTTP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { startApp } from '../../helpers/app/app.ts';
import { startLoopClock } from '../../helpers/server-process/timing.ts';
import { type AttackRequest, PATIENT } from './attack.ts';
import { type Answer, isBusy } from './endings.ts';
import { type Origins, startOrigins } from './origins.ts';
import { endpointAt, type Place } from './places.ts';
import { type Watch, watchProcess } from './watch.ts';

const NEIGHBOUR = `
module.exports.model = { settings: { authenticate: false } };
module.exports.get = (req, res) => {
  const numbers = Array.from({ length: 50 }, (_, n) => (n * 7919) % 101).sort((a, b) => a - b);
  res.json({ asked: req.query.n, sum: numbers.reduce((all, n) => all + n, 0) });
};
`;

const JSON_TYPE = { 'content-type': 'application/json' };

/** A line of the log of a module. */
export interface LogRecord {
  readonly requestId: string;
  readonly message: string;
}

export interface Arena {
  readonly watch: Watch;
  readonly origins: Origins;
  /** Posts code, and the specification that goes with it. */
  post(place: Place, source: string): Promise<Answer>;
  putPolicy(place: Place, policy: JsonObject): Promise<Answer>;
  call(place: Place, request: AttackRequest): Promise<Answer>;
  /** The newest lines of the log of a module. */
  logs(place: Place): Promise<readonly LogRecord[]>;
  /**
   * Calls the good neighbour, again where it is told to come back: on a machine that does other things a host may not be free within the
   * second that the server lets it wait. Resolves with the milliseconds that all of it took by a clock of the event loop; rejects when
   * the answer is another than its own, or that it has to come back when `withinMs` are over.
   */
  neighbour(withinMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Bytes of a text that may hold lone surrogates, each as UTF-8 would write it if it might. */
function bytesOf(text: string): Buffer {
  const lone = Buffer.from([0xed, 0xa0, 0x80]);
  const parts = text.split('\ud800').flatMap((part) => [lone, Buffer.from(part)]);
  return Buffer.concat(parts.slice(1));
}

function ceilingsFor(folder: string, { allowed }: Origins): string {
  const file = join(folder, 'ceilings.json');
  const grants = { fetch: [{ origin: `http://${allowed}` }] };
  writeFileSync(file, JSON.stringify({ version: 1, grants, egress: { allow: [allowed] } }));
  return file;
}

export async function startArena(): Promise<Arena> {
  const origins = await startOrigins();
  const folder = mkdtempSync(join(tmpdir(), 'cloister-hostile-'));
  const app = await startApp({ config: { sandbox: { policyFile: ceilingsFor(folder, origins) } } });
  const url = await app.listen();
  const authorization = `Bearer ${await app.adminToken()}`;
  const user = await app.userToken('user', { collections: [] });
  const writer = await app.userToken('writer');

  const send = async (path: string, { method = 'GET', headers, body }: AttackRequest | UploadRequest) => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const fill = (text: string) =>
    text.replaceAll('{{allowed}}', origins.allowed).replaceAll('{{canary}}', origins.canary);

  const post: Arena['post'] = async ({ module, call, specification }, source) => {
    const headers = { 'content-type': 'text/plain' };
    const posted = await send(`${module}/config`, { method: 'POST', headers, body: bytesOf(fill(source)) });
    if (posted.status !== 200 || specification === undefined) return posted;
    return send(`${call}/config`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(specification),
    });
  };
  const putPolicy: Arena['putPolicy'] = ({ module }, policy) =>
    send(`${module}/policy`, { method: 'PUT', headers: JSON_TYPE, body: fill(JSON.stringify(policy)) });

  const signedAs = (request: AttackRequest): AttackRequest => {
    const given = Object.entries(request.headers ?? {});
    const headers = given.map(([name, value]) => [
      name,
      value.replaceAll('{{user}}', user).replaceAll('{{writer}}', writer),
    ]);
    return { ...request, headers: Object.fromEntries(headers) };
  };

  await app.inject('POST', '/1.0/library/books', { body: { title: 'Emma' } });
  const posted = await post(endpointAt('neighbour'), NEIGHBOUR);
  if (posted.status !== 200) throw new Error(`the neighbour was refused: ${posted.text}`);
  await putPolicy(endpointAt('neighbour'), { version: 1, limits: PATIENT });

  let asked = 0;
  const watch = await watchProcess();
  return {
    watch,
    origins,
    post,
    putPolicy,
    call: ({ call }, request) => send(`${call}${request.path ?? ''}`, signedAs(request)),
    async logs({ module }) {
      const { status, text } = await send(`${module}/logs?limit=1000`, {});
      if (status !== 200) throw new Error(`the log of ${module}: ${status} ${text}`);
      return JSON.parse(text).logs;
    },
    // Waits only, in steps of the event loop that server and arena share: work that blocks it is what run.ts bounds.
    async neighbour(withinMs) {
      asked += 1;
      const n = asked;
      const clock = startLoopClock();
      try {
        for (;;) {
          const answer = await send(`/1.0/neighbour?n=${n}`, {});
          if (answer.text === `{"asked":"${n}","sum":2452}`) return clock.ms();
          if (!isBusy(answer) || clock.ms() > withinMs)
            throw new Error(`the neighbour: ${answer.status} ${answer.text}`);
        }
      } finally {
        clock.stop();
      }
    },
    async close() {
      watch.stop();
      await app.close();
      await origins.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface UploadRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}
