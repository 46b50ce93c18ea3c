// What a client sees of an endpoint that fails: one code, one status, one envelope for each way, and nothing of its inside.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer, type TextAnswer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

const get = (body: string) => `module.exports.get = ${body};`;

function envelopeOf({ status, body }: TextAnswer) {
  expect(body).toMatchObject({
    statusCode: status,
    success: false,
    errors: [{ message: expect.any(String) }],
  });
  return [status, body.errors[0].code];
}

let made = 0;
const fresh = () => {
  made += 1;
  return `failing-${made}`;
};

describe('code that fails is 500 ENDPOINT_ERROR', () => {
  it.each([
    ['throws', "() => { throw new Error('secret text'); }"],
    ['throws a text', "() => { throw 'secret text'; }"],
    ['throws nothing', '() => { throw undefined; }'],
    ['throws null', '() => { throw null; }'],
    ['throws a status, which is not `next`', '() => { throw { statusCode: 404 }; }'],
    ['rejects', "async () => { throw new Error('secret text'); }"],
    ['rejects later', "() => new Promise((_, no) => setTimeout(no, 1, new Error('secret text')))"],
    ['throws in a timer', "() => { setTimeout(() => { throw new Error('secret text'); }, 1); }"],
    ['next with a text', "(req, res, next) => next('secret text')"],
    ['next with a number', '(req, res, next) => next(404)'],
    ['next with an object', '(req, res, next) => next({})'],
    ['next with false', '(req, res, next) => next(false)'],
    ['next with a status as text', "(req, res, next) => next({ statusCode: '404' })"],
    ['next with 399', '(req, res, next) => next({ statusCode: 399 })'],
    ['next with 600', '(req, res, next) => next({ statusCode: 600 })'],
    ['next with a fraction', '(req, res, next) => next({ statusCode: 404.5 })'],
    ['next with `status`', '(req, res, next) => next({ status: 404 })'],
    ['next with a status that throws', '(req, res, next) => next({ get statusCode() { throw 1; } })'],
    ['a status below 200', '(req, res) => { res.statusCode = 199; res.end(); }'],
    ['a status above 599', '(req, res) => { res.status(600).end(); }'],
    ['a header with a line break', "(req, res) => { res.setHeader('x-a', 'a\\r\\nb: c'); res.end(); }"],
  ])('%s', async (_title, handler) => {
    const path = await server.endpoint(fresh(), get(handler));
    const answer = await server.get(path);
    expect(envelopeOf(answer)).toEqual([500, 'ENDPOINT_ERROR']);
    expect(answer.text).not.toMatch(/secret|\.js|at |node:/);
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('and its log has the message, and the line of the author', async () => {
    const name = fresh();
    const path = await server.endpoint(name, '\n\nmodule.exports.get = () => {\n  null.x;\n};\n');
    const before = Date.now();
    const answer = await server.get(path);
    const [record] = await server.logs(name);
    expect(record).toMatchObject({
      level: 'error',
      version: 1,
      requestId: answer.headers.get('x-request-id'),
      message: expect.stringContaining('null'),
      stack: expect.stringContaining(`endpoint.${name}.js:4:8`),
    });
    expect(record?.at).toBeGreaterThanOrEqual(before);
    expect(record?.at).toBeLessThanOrEqual(Date.now());
    expect(record?.stack).not.toMatch(/node:|\/sandbox|\/work|file:/);
  });
});

describe('next', () => {
  it('without an argument is 404, null too', async () => {
    for (const argument of ['', 'undefined', 'null']) {
      const path = await server.endpoint(fresh(), get(`(req, res, next) => next(${argument})`));
      expect(envelopeOf(await server.get(path))[0]).toBe(404);
    }
  });

  it.each([400, 401, 403, 404, 405, 409, 418, 429, 500, 502, 503, 599])(
    'with an error of status %i is that status, without its text',
    async (status) => {
      const source = get(
        `(req, res, next) => next(Object.assign(new Error('secret text'), { statusCode: ${status} }))`,
      );
      const answer = await server.get(await server.endpoint(fresh(), source));
      expect(envelopeOf(answer)[0]).toBe(status);
      expect(answer.text).not.toContain('secret');
      if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    },
  );
});

describe('limits', () => {
  it.each([
    ['cpuMs', '() => { for (;;); }', { cpuMs: 50 }, [504, 'ENDPOINT_TIMEOUT']],
    [
      'cpuMs, after an await',
      'async () => { await null; for (;;); }',
      { cpuMs: 50 },
      [504, 'ENDPOINT_TIMEOUT'],
    ],
    [
      'wallMs',
      '() => new Promise((done) => setTimeout(done, 5000))',
      { wallMs: 50 },
      [504, 'ENDPOINT_TIMEOUT'],
    ],
    [
      'heapMb',
      '(req, res) => { const all = []; for (;;) all.push(new Array(1000).fill({ a: 1 })); }',
      { heapMb: 16, cpuMs: 5000, wallMs: 30_000 },
      [502, 'ENDPOINT_MEMORY'],
    ],
    [
      'responseBytes',
      "(req, res) => res.end('x'.repeat(1001))",
      { responseBytes: 1000 },
      [502, 'ENDPOINT_RESPONSE_TOO_LARGE'],
    ],
    [
      'responseBytes in bytes, not characters',
      "(req, res) => res.end('€'.repeat(334))",
      { responseBytes: 1000 },
      [502, 'ENDPOINT_RESPONSE_TOO_LARGE'],
    ],
  ] as const)('%s', async (_title, handler, limits, expected) => {
    const path = await server.endpoint(fresh(), get(handler), { version: 1, limits });
    expect(envelopeOf(await server.get(path))).toEqual(expected);
  });

  it('an answer of just so many bytes as it may have is sent', async () => {
    const path = await server.endpoint(fresh(), get("(req, res) => res.end('€'.repeat(333) + 'x')"), {
      version: 1,
      limits: { responseBytes: 1000 },
    });
    expect(await server.get(path)).toMatchObject({ status: 200, text: `${'€'.repeat(333)}x` });
  });

  it('a handler that answers nothing and waits for nothing ends at once, with its own message', async () => {
    const name = fresh();
    // Who waited for its wall time to pass would outlive this test.
    const path = await server.endpoint(name, get('() => {}'), { version: 1, limits: { wallMs: 30_000 } });
    const answer = await server.get(path);
    expect(envelopeOf(answer)).toEqual([504, 'ENDPOINT_TIMEOUT']);
    expect(answer.body.errors[0].message).toBe('The endpoint answered nothing, and waits for nothing');
    const [record] = await server.logs(name);
    expect(record?.message).toMatch(/nothing/);
  });

  it.each([
    ['hostCalls', "Model('books').count()", 3],
    ['timers', 'new Promise((done) => setTimeout(done, 0))', 20],
  ])('%s beyond what one request may have are exceptions in the code', async (_title, work, most) => {
    const source = get(`async (req, res) => {
      let n = 0;
      try { for (; n < 30; n += 1) await ${work}; } catch (error) { return res.json({ n, name: error.name }); }
      res.json({ n });
    }`);
    const collections = [{ name: '1.0/library/books', actions: ['count'] }];
    const policy = { version: 1, limits: { hostCalls: 3 }, grants: { collections } };
    const path = await server.endpoint(fresh(), source, policy);
    expect((await server.get(path)).body).toEqual({ n: most, name: 'RangeError' });
  });

  it('a bounded rate is 429 with Retry-After', async () => {
    const path = await server.endpoint(fresh(), get("(req, res) => res.end('ok')"), {
      version: 1,
      limits: { perMinute: 2 },
    });
    const answers = [await server.get(path), await server.get(path), await server.get(path)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [, , last] = answers;
    expect(last?.body.errors[0].code).toBe('ENDPOINT_RATE_LIMITED');
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('a full queue is 503 with Retry-After, and a queue waits for a second at most', async () => {
    // One that holds its place until all others have been sent away, however long the machine takes for that.
    const source = get(`async (req, res) => {
      for (let n = 0; n < 19 && (await Model('people').count({ name: 'goes on' })).metadata.totalCount === 0; n += 1) {
        await new Promise((done) => setTimeout(done, 500));
      }
      res.end('ok');
    }`);
    const collections = [{ name: '1.0/library/people', actions: ['count'] }];
    const limits = { concurrency: 1, wallMs: 30_000 };
    const path = await server.endpoint(fresh(), source, { version: 1, limits, grants: { collections } });
    const busy: TextAnswer[] = [];
    const calls = Array.from({ length: 36 }, async () => {
      const answer = await server.get(path);
      if (answer.status === 503) busy.push(answer);
      return answer.status;
    });
    await expect.poll(() => busy.length).toBe(35);
    await server.call('POST', '/1.0/library/people', { body: { name: 'goes on' } });
    expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(1);
    for (const answer of busy) {
      expect(answer.body.errors[0].code).toBe('ENDPOINT_BUSY');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('the wall clock does not count the time in the queue', async () => {
    const path = await server.endpoint(fresh(), get('(req, res) => setTimeout(() => res.end("ok"), 300)'), {
      version: 1,
      limits: { concurrency: 1, wallMs: 800 },
    });
    // The last of three has waited and run for longer than the limit: one round of answers proves it. A round in which the
    // machine stalls proves nothing, as the wait itself, or a turn, may then be too long.
    const round = async () =>
      (await Promise.all([server.get(path), server.get(path), server.get(path)])).map(({ status }) => status);
    await expect.poll(round).toEqual([200, 200, 200]);
  });
});

it('after all of this, good code answers', async () => {
  const path = await server.endpoint(fresh(), get("(req, res) => res.end('ok')"));
  expect((await server.get(path)).text).toBe('ok');
});
