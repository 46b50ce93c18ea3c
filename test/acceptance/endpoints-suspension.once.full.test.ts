// Logs, the switch for one endpoint, and the circuit breaker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

const HELLO = "module.exports.get = (req, res) => res.end('hello');";
const LOOP = 'module.exports.get = () => { for (;;); };';
// Loops in native code, where only the end of the process helps.
const STUCK = 'module.exports.get = () => { Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); };';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

describe('the log', () => {
  it('has what `console` wrote, each record with level, version and request', async () => {
    const path = await server.endpoint(
      'logging',
      `module.exports.get = (req, res) => {
        for (const level of ['debug', 'log', 'info', 'warn', 'error']) console[level](level, { a: [1] }, 'x');
        res.end();
      };`,
    );
    const answer = await server.get(path);
    const records = await server.logs('logging');
    expect(records.map(({ level }) => level)).toEqual(['debug', 'info', 'info', 'warn', 'error']);
    for (const record of records) {
      expect(record).toMatchObject({
        at: expect.any(Number),
        version: 1,
        requestId: answer.headers.get('x-request-id'),
        message: expect.stringMatching(/^\w+ .*a.*1.* x$/),
      });
    }
  });

  it('is read in parts: `limit` newest, `after` a record', async () => {
    const path = await server.endpoint(
      'counting',
      'module.exports.get = (req, res) => { for (let n = 0; n < 10; n += 1) console.log(n); res.end(); };',
    );
    await server.get(path);
    const messages = async (query: string) =>
      (await server.logs('counting', query)).map(({ message }) => message);
    expect(await messages('?limit=3')).toEqual(['7', '8', '9']);
    const [, , third] = await server.logs('counting');
    expect(await messages(`?after=${third?.seq}`)).toEqual(['3', '4', '5', '6', '7', '8', '9']);
    expect(await messages(`?after=${third?.seq}&limit=2`)).toEqual(['3', '4']);
    const wrong = await server.get(`${path}/logs?limit=x`);
    expect([wrong.status, wrong.body.success]).toEqual([400, false]);
    expect((await server.get(`${path}/logs?limit=1&limit=2`)).status).toBe(400);
  });

  it('keeps the last thousand records', async () => {
    const path = await server.endpoint(
      'many',
      'module.exports.get = (req, res) => { for (let n = 0; n < 90; n += 1) console.log(req.query.n, n); res.end(); };',
    );
    for (let n = 0; n < 12; n += 1) await server.get(`${path}?n=${n}`);
    const records = await server.logs('many');
    expect(records).toHaveLength(1000);
    expect(records.at(-1)?.message).toBe('11 89');
    expect(records[0]?.message).toBe('0 80');
  });

  it('of one request is bounded in lines and bytes, and says so', async () => {
    const lines = await server.endpoint(
      'lines',
      'module.exports.get = (req, res) => { for (let n = 0; n < 1000; n += 1) console.log(n); res.end(); };',
    );
    await server.get(lines);
    const records = await server.logs('lines');
    expect(records.length).toBeLessThanOrEqual(101);
    expect(records.at(-1)?.message).not.toMatch(/^\d+$/);
    const bytes = await server.endpoint(
      'bytes',
      "module.exports.get = (req, res) => { for (let n = 0; n < 50; n += 1) console.log('x'.repeat(4000)); res.end(); };",
    );
    await server.get(bytes);
    expect(JSON.stringify(await server.logs('bytes')).length).toBeLessThan(80_000);
  });

  it('cannot be forged, nor reach into a terminal', async () => {
    const path = await server.endpoint(
      'forging',
      String.raw`module.exports.get = (req, res) => { console.log('a\n{"level":"error"}\u001b[31m\u202e'); res.end(); };`,
    );
    await server.get(path);
    const records = await server.logs('forging');
    expect(records).toHaveLength(1);
    expect(records[0]?.message).toBe(String.raw`a
{"level":"error"}\u{1b}[31m\u{202e}`);
  });

  it('has what the code logged after the answer, under the same request id', async () => {
    const path = await server.endpoint(
      'behind',
      "module.exports.get = (req, res) => { res.end('ok'); console.log('after'); throw new Error('late'); };",
    );
    const answer = await server.get(path);
    expect(answer.text).toBe('ok');
    while ((await server.logs('behind')).length < 2) await new Promise(setImmediate);
    const records = await server.logs('behind');
    expect(records.map(({ message }) => message)).toEqual(['after', expect.stringContaining('late')]);
    expect(records[1]?.requestId).toBe(answer.headers.get('x-request-id'));
  });

  it('is for admins', async () => {
    const token = await server.userToken('no-admin');
    expect((await server.get('/1.0/logging/logs', { token })).status).toBe(401);
  });
});

describe('a suspension by an admin', () => {
  it('is 503 with Retry-After until it is lifted, and survives new code', async () => {
    const path = await server.endpoint('switched', HELLO);
    const suspended = await server.call('POST', `${path}/suspend`);
    expect([suspended.status, suspended.body.result]).toEqual([200, 'success']);
    const call = await server.get(path);
    expect([call.status, call.body.errors[0].code]).toEqual([503, 'ENDPOINT_SUSPENDED']);
    expect(Number(call.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await server.call('POST', `${path}/suspend`)).status).toBe(200);
    await server.endpoint('switched', `${HELLO}\n`);
    expect((await server.get(path)).status).toBe(503);
    expect((await server.get(`${path}/config`)).status).toBe(200);
    const resumed = await server.call('DELETE', `${path}/suspend`);
    expect(resumed.status).toBe(200);
    expect((await server.get(path)).text).toBe('hello');
  });

  it('survives a restart', async () => {
    const own = await startEndpointServer();
    const path = await own.endpoint('stopped', HELLO);
    await own.call('POST', `${path}/suspend`);
    await own.app.close();
    const again = await startEndpointServer({ workspace: own.workspace });
    expect((await again.get(path)).status).toBe(503);
    await again.app.close();
    own.workspace.remove();
  });

  it('stops nobody else, and asks for a token first', async () => {
    await server.call('POST', '/1.0/switched/suspend');
    expect((await server.get('/1.0/logging')).status).toBe(200);
    expect((await server.get('/1.0/switched', { token: null })).status).toBe(401);
    await server.call('DELETE', '/1.0/switched/suspend');
  });
});

describe('the breaker', () => {
  const STUCK_POLICY = { version: 1, limits: { cpuMs: 50, wallMs: 300 } };
  /** For code that answers: a process may have to start first, on a busy machine. */
  const PATIENT_POLICY = { version: 1, limits: { wallMs: 30_000 } };

  /** Busy only where the machine stalls for the second that a call waits. */
  const ENDINGS = ['ENDPOINT_TIMEOUT', 'ENDPOINT_BUSY'];

  async function trip(name: string): Promise<string> {
    const path = await server.endpoint(name, STUCK, STUCK_POLICY);
    const call = async () => {
      const { status, body } = await server.get(path);
      return [status, body.errors[0].code];
    };
    let answer = await call();
    let answers = 0;
    for (; answer[1] !== 'ENDPOINT_SUSPENDED'; answers += 1) {
      expect(ENDINGS).toContain(answer[1]);
      expect(answer[0]).toBe(answer[1] === 'ENDPOINT_BUSY' ? 503 : 504);
      answer = await call();
    }
    expect(answer[0]).toBe(503);
    expect(answers).toBeGreaterThanOrEqual(3);
    // The client is answered at the end of the wall time, and the process dies a moment later: as many calls may come between
    // as the machine lets through, hence the kills are counted. Those that were due already may follow.
    const actions = async () => {
      const { audit } = (await server.get('/api/audit')).body;
      return audit
        .filter(({ target }: { target: string }) => target.split('#')[0] === path)
        .map(({ action }: { action: string }) => action);
    };
    await expect.poll(actions).toContain('endpoint.breaker');
    const all: readonly string[] = await actions();
    const before = all.slice(0, all.indexOf('endpoint.breaker'));
    expect(before.filter((action) => action === 'host.killed')).toHaveLength(3);
    return path;
  }

  it('suspends after three kills in five minutes; new code lifts that', async () => {
    const path = await trip('killed');
    const { endpoints } = (await server.get('/api/endpoints')).body;
    expect(endpoints.find(({ slug }: { slug: string }) => slug === 'killed').state).toBe('suspended');
    await server.putPolicy('killed', PATIENT_POLICY);
    expect((await server.get(path)).body.errors[0].code).toBe('ENDPOINT_SUSPENDED');
    await server.endpoint('killed', HELLO);
    expect((await server.get(path)).text).toBe('hello');
  });

  it('is lifted by an admin too, and a new policy does not', async () => {
    const path = await trip('lifted');
    await server.putPolicy('lifted', PATIENT_POLICY);
    expect((await server.get(path)).body.errors[0].code).toBe('ENDPOINT_SUSPENDED');
    await server.putPolicy('lifted', STUCK_POLICY);
    await server.call('DELETE', `${path}/suspend`);
    expect(ENDINGS).toContain((await server.get(path)).body.errors[0].code);
  });

  it('does not count limits that were kept', async () => {
    const path = await server.endpoint('looping', LOOP, { version: 1, limits: { cpuMs: 20 } });
    for (let n = 0; n < 6; n += 1) expect((await server.get(path)).status).toBe(504);
  });

  it('leaves neighbours alone', async () => {
    expect((await server.get('/1.0/logging')).status).toBe(200);
  });
});
