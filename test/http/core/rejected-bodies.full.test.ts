// An answer that is given before the body was read reaches the client, whatever it still sends.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIBRARY } from '../../helpers/fixtures/library.ts';
import { connectClient } from '../../helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from '../../helpers/server-process/server-process.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const TIMES = 20;
const AT_ONCE = 4;
const PIECE = 65_536;
const JSON_BYTES = 1024;
const BOOKS = '/1.0/library/books';
const FORM = 'application/x-www-form-urlencoded';
const SIZES = [
  ['100 bytes', 100],
  ['100 KB', 100_000],
  ['20 MB', 20_000_000],
] as const;

interface Refused {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly authorization: string;
}

interface Body {
  readonly bytes: number;
  readonly chunked: boolean;
}

/** Posts so many times, one after the other, and resolves with what was read each time. */
type Post = (refused: Refused, body: Body, times: number) => Promise<readonly string[]>;

const workspace = createWorkspace(LIBRARY, { limits: { jsonBytes: JSON_BYTES } });
const fileOf = (bytes: number) => join(workspace.cwd, `${bytes}.body`);
let server: ServerProcess;
let bearer: string;

const wholes = new Map(SIZES.map(([, bytes]) => [bytes as number, 'a'.repeat(bytes)]));
const wholeOf = (bytes: number) => wholes.get(bytes) ?? '';

beforeAll(async () => {
  for (const [bytes, whole] of wholes) writeFileSync(fileOf(bytes), whole);
  server = await spawnServer({ cwd: workspace.cwd });
  bearer = `Bearer ${(await connectClient(server.url)).token}`;
});

afterAll(async () => {
  await server.stop();
  workspace.remove();
});

function streamOf(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, PIECE);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size).fill(97));
      if (left === 0) controller.close();
    },
  });
}

const byFetch: Post = async ({ method, path, type, authorization }, { bytes, chunked }, times) => {
  const headers = { 'content-type': type, ...(authorization === '' ? {} : { authorization }) };
  const seen: string[] = [];
  for (let n = 0; n < times; n += 1) {
    const body = chunked ? { body: streamOf(bytes), duplex: 'half' } : { body: wholeOf(bytes) };
    const answer = fetch(server.url + path, { method, headers, ...body } as RequestInit);
    seen.push(
      await answer.then((received) => received.text()).catch((error) => `${error} ${error.cause ?? ''}`),
    );
  }
  return seen;
};

const byCurl: Post = async ({ method, path, type, authorization }, { bytes, chunked }, times) => {
  const headers = [
    `Content-Type: ${type}`,
    ...(authorization === '' ? [] : [`Authorization: ${authorization}`]),
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
  ];
  const options = ['-sS', '-X', method, '--data-binary', `@${fileOf(bytes)}`, '-w', '\n'];
  const urls = Array.from({ length: times }, () => server.url + path);
  const child = spawn('curl', [...options, ...headers.flatMap((line) => ['-H', line]), ...urls]);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return [...out.trim().split('\n'), ...(error === '' ? [] : [error])];
};

const statusIn = (body: string) => (body.startsWith('{') ? String(JSON.parse(body).statusCode) : body);

/** Milliseconds without a byte after which the server may break off. */
const DISCARD_IDLE_MS = 5000;

/** Once more where the machine stalled for so long that the server broke off. */
const withPatience =
  (post: Post): Post =>
  async (...asked) => {
    for (;;) {
      const from = performance.now();
      const seen = await post(...asked);
      const isWhole = seen.every((answer) => answer.startsWith('{'));
      if (isWhole || performance.now() - from < DISCARD_IDLE_MS) return seen;
    }
  };

async function statusesOf(post: Post, refused: Refused, body: Body): Promise<Record<string, number>> {
  const posts = Array.from({ length: AT_ONCE }, () => withPatience(post)(refused, body, TIMES / AT_ONCE));
  const seen: Record<string, number> = {};
  for (const status of (await Promise.all(posts)).flat().map(statusIn))
    seen[status] = (seen[status] ?? 0) + 1;
  return seen;
}

const REFUSALS: readonly (readonly [number, Partial<Refused> & { readonly token?: false }])[] = [
  [401, { token: false }],
  [404, { path: '/1.0/library/nothing' }],
  [405, { method: 'PATCH' }],
  [413, { type: 'application/json' }],
  [415, {}],
];
/** Neither is there a limit below them, nor do all refusals need so many bytes. */
const isTold = (status: number, bytes: number) =>
  bytes <= JSON_BYTES ? status !== 413 : bytes < 1_000_000 || status === 401 || status > 405;

describe.each([
  ['fetch', byFetch],
  ['curl', byCurl],
] as const)('%s', (_name, post) => {
  const cases = SIZES.flatMap(([size, bytes]) =>
    [false, true].flatMap((chunked) =>
      REFUSALS.filter(([status]) => isTold(status, bytes)).map(([status, given]) => ({
        status,
        size,
        given,
        bytes,
        chunked,
        coding: chunked ? 'chunks' : 'one',
      })),
    ),
  );

  it.each(cases)('reads $status after $size in $coding', async ({ status, given, bytes, chunked }) => {
    const { token = true, ...own } = given;
    const refused = { method: 'POST', path: BOOKS, type: FORM, authorization: token ? bearer : '', ...own };
    expect(await statusesOf(post, refused, { bytes, chunked })).toEqual({ [status]: TIMES });
  });
});
