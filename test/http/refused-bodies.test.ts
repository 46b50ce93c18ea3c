// An answer that is given before the body was read reaches the client, whatever it still sends.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../helpers/client.ts';
import { LIBRARY } from '../helpers/fixtures.ts';
import { type ServerProcess, spawnServer } from '../helpers/server-process.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const TIMES = 20;
const AT_ONCE = 4;
const PIECE = 65_536;
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

type Post = (refused: Refused, body: Body) => Promise<string>;

const workspace = createWorkspace(LIBRARY, { limits: { jsonBytes: 1024 } });
const fileOf = (bytes: number) => join(workspace.cwd, `${bytes}.body`);
let server: ServerProcess;
let bearer: string;

beforeAll(async () => {
  for (const [, bytes] of SIZES) writeFileSync(fileOf(bytes), 'a'.repeat(bytes));
  server = await spawnServer({ cwd: workspace.cwd });
  bearer = `Bearer ${(await connect(server.url)).token}`;
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

const byFetch: Post = async ({ method, path, type, authorization }, { bytes, chunked }) => {
  const headers = { 'content-type': type, ...(authorization === '' ? {} : { authorization }) };
  const body = chunked ? { body: streamOf(bytes), duplex: 'half' } : { body: 'a'.repeat(bytes) };
  const answer = await fetch(server.url + path, { method, headers, ...body } as RequestInit);
  return answer.text();
};

const byCurl: Post = async ({ method, path, type, authorization }, { bytes, chunked }) => {
  const headers = [
    `Content-Type: ${type}`,
    ...(authorization === '' ? [] : [`Authorization: ${authorization}`]),
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
  ];
  const options = ['-sS', '-X', method, '--data-binary', `@${fileOf(bytes)}`];
  const child = spawn('curl', [...options, ...headers.flatMap((line) => ['-H', line]), server.url + path]);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out === '' ? `curl: ${error}` : out;
};

async function statusesOf(post: () => Promise<string>): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  const one = async () => {
    const outcome = await post().then(
      (body) => (body.startsWith('{') ? String(JSON.parse(body).statusCode) : body),
      (error) => `${error} ${error.cause ?? ''}`,
    );
    seen[outcome] = (seen[outcome] ?? 0) + 1;
  };
  for (let n = 0; n < TIMES; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
  return seen;
}

describe.each([
  ['fetch', byFetch],
  ['curl', byCurl],
] as const)('%s', (_name, post) => {
  const refusals: readonly (readonly [number, Partial<Refused> & { readonly token?: false }])[] = [
    [401, { token: false }],
    [404, { path: '/1.0/library/nothing' }],
    [405, { method: 'PATCH' }],
    [413, { type: 'application/json' }],
    [415, {}],
  ];
  const cases = SIZES.flatMap(([size, bytes]) =>
    [false, true].flatMap((chunked) =>
      refusals
        .filter(([status]) => status !== 413 || bytes > 1024)
        .map(([status, given]) => ({
          status,
          size,
          coding: chunked ? 'chunks' : 'one length',
          given,
          bytes,
          chunked,
        })),
    ),
  );

  it.each(cases)('reads $status after $size in $coding', async ({ status, given, bytes, chunked }) => {
    const { token = true, ...own } = given;
    const refused = { method: 'POST', path: BOOKS, type: FORM, authorization: token ? bearer : '', ...own };
    expect(await statusesOf(() => post(refused, { bytes, chunked }))).toEqual({ [status]: TIMES });
  });
});
