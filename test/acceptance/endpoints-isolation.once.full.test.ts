// The three kinds of isolation fail in the same ways; code changes under load without a call lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer, type TextAnswer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const get = (handler: string) => `module.exports.get = ${handler};`;
const codeOf = ({ status, body }: TextAnswer) => [status, body?.errors?.[0].code];

const ENDINGS = [
  ['a loop', '() => { for (;;); }', { cpuMs: 50 }, [504, 'ENDPOINT_TIMEOUT']],
  [
    'a long wait',
    '() => new Promise((done) => setTimeout(done, 1000))',
    { wallMs: 100 },
    [504, 'ENDPOINT_TIMEOUT'],
  ],
  ['no answer', '() => new Promise(() => {})', {}, [504, 'ENDPOINT_TIMEOUT']],
  [
    'a heap',
    '() => { const a = []; for (;;) a.push(new Array(1000).fill({})); }',
    { heapMb: 16, cpuMs: 5000, wallMs: 30_000 },
    [502, 'ENDPOINT_MEMORY'],
  ],
  [
    'a large body',
    "(req, res) => res.end('x'.repeat(2000))",
    { responseBytes: 1000 },
    [502, 'ENDPOINT_RESPONSE_TOO_LARGE'],
  ],
  ['a throw', '() => { throw 1; }', {}, [500, 'ENDPOINT_ERROR']],
  ['next', '(req, res, next) => next()', {}, [404, 'NOT_FOUND']],
  ['an answer', "async (req, res) => { await null; res.end('x'); }", {}, [200, undefined]],
] as const;

describe.each(['realm', 'context', 'isolate'])('isolation %s', (isolation) => {
  it.each(ENDINGS)('%s ends as everywhere, twice', async (_title, handler, limits, expected) => {
    const path = await server.endpoint(`ends-${isolation}`, get(handler), { version: 1, isolation, limits });
    expect(codeOf(await server.get(path))).toEqual(expected);
    expect(codeOf(await server.get(path))).toEqual(expected);
  });
});

describe('under load', () => {
  it('new code and new policies lose no call, and are in force when they are answered', async () => {
    const saying = (n: number) => get(`(req, res) => res.end('${n}')`);
    const path = await server.endpoint('rolling', saying(0));
    const seen: TextAnswer[] = [];
    let over = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!over) seen.push(await server.get(path));
    });
    for (let n = 1; n <= 10; n += 1) {
      await server.endpoint('rolling', saying(n), { version: 1, limits: { cpuMs: 1000 + n } });
      expect((await server.get(path)).text).toBe(`${n}`);
    }
    over = true;
    await Promise.all(callers);
    expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('many posts of one endpoint are versions without gaps', async () => {
    const posts = Array.from({ length: 20 }, (_, n) =>
      server.post('crowded', get(`(req, res) => res.end('${n}')`)),
    );
    const versions = (await Promise.all(posts)).map(({ body }) => body.version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it('fifty calls at once of an endpoint that nobody called before are all answered', async () => {
    const path = await server.endpoint('cold', get("(req, res) => res.end('ok')"));
    const all = await Promise.all(Array.from({ length: 50 }, () => server.get(path)));
    expect(all.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('clients that go away leave their place to others', async () => {
    const path = await server.endpoint(
      'left',
      get("(req, res) => { setTimeout(() => res.end('ok'), 200); }"),
      {
        version: 1,
        limits: { concurrency: 1 },
      },
    );
    const headers = { authorization: `Bearer ${await server.adminToken()}` };
    for (let n = 0; n < 3; n += 1) {
      const leaving = new AbortController();
      const call = fetch(server.url + path, { headers, signal: leaving.signal }).catch(() => 'left');
      setImmediate(() => leaving.abort());
      expect(await call).toBe('left');
    }
    // A stall as long as a call may wait for a host sends it away.
    await expect.poll(async () => (await server.get(path)).text).toBe('ok');
  });
});
