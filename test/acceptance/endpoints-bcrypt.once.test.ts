// Endpoints and hooks that hash passwords: a sign-in as older sites have it, and what hostile code gets of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

const GRANT = { version: 1, grants: { bcrypt: { maxRounds: 10 } }, limits: { wallMs: 20_000 } };
/** `bcrypt.hash('secret', 4)`, made by an older site. */
const OLDER_HASH = '$2b$04$ZyWDwQiHR48Dv96WygFJe.rzDGNiVMM5K2iWAAuZDnmR1IpHL/.Ou';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer({
    specs: {
      '1.0/library/users': {
        fields: { name: { type: 'String' }, password: { type: 'String' } },
        settings: { hooks: { beforeCreate: ['hash-password'] } },
      },
    },
  });
});

afterAll(() => server.close());

const handler = (body: string) =>
  `const bcrypt = require('bcrypt'); module.exports.post = async (req, res) => { ${body} };`;
/** What an endpoint with this body and the grant answers. */
async function answerOf(name: string, body: string, policy: object = GRANT) {
  const path = await server.endpoint(name, handler(body), policy as never);
  return server.call('POST', path, { body: {} });
}

describe('a site with passwords', () => {
  it('hashes them in a hook, and recognises them in an endpoint', async () => {
    const hook = `const bcrypt = require('bcrypt-as-promised');
      module.exports = (obj) => bcrypt.hash(obj.password, 10).then((hash) => ({ ...obj, password: hash }));`;
    const posted = await server.call('POST', '/api/hooks/hash-password/config', {
      body: hook,
      headers: { 'content-type': 'text/plain' },
    });
    expect(posted.status).toBe(200);
    const created = () =>
      server.call('POST', '/1.0/library/users', { body: { name: 'Ada', password: 'secret' } });
    const refused = await created();
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('grants no `bcrypt`')]);
    const policy = await server.call('PUT', '/api/hooks/hash-password/policy', { body: GRANT });
    expect(policy.status).toBe(200);
    const { body } = await created();
    expect(body.results[0].password).toMatch(/^\$2b\$10\$/);

    const path = await server.endpoint(
      'sign-in',
      `const { Model } = require('@dadi/api');
      const bcrypt = require('bcrypt-as-promised');
      module.exports.post = async (req, res) => {
        const { results } = await Model('users').find({ name: req.body.name });
        try {
          await bcrypt.compare(req.body.password, results[0].password);
          res.json({ welcome: results[0].name });
        } catch (error) {
          if (!(error instanceof bcrypt.MISMATCH_ERROR)) throw error;
          res.status(401).json({ error: 'wrong password' });
        }
      };`,
      {
        version: 1,
        grants: { ...GRANT.grants, collections: [{ name: '1.0/library/users', actions: ['find'] }] },
      },
    );
    const signIn = async (password: string) =>
      (await server.call('POST', path, { body: { name: 'Ada', password } })).status;
    expect([await signIn('secret'), await signIn('Secret')]).toEqual([200, 401]);
  });

  it('recognises the hashes that it brings along', async () => {
    const { body } = await answerOf('older', `res.json(await bcrypt.compare('a', '${OLDER_HASH}'));`);
    expect(body).toBe(true);
  });
});

describe('code that wants more than its policy grants', () => {
  it('is told so, and the server hashes nothing', async () => {
    const tries = `const codes = [];
      for (const run of [
        () => bcrypt.hash('a', 11), () => bcrypt.hash('a', 1e308), () => bcrypt.hash('a', '$2b$31$' + 'a'.repeat(22)),
        () => bcrypt.compare('a', '$2b$31$' + 'a'.repeat(53)), () => bcrypt.genSalt(31),
        () => bcrypt.hash('a'.repeat(5000), 10), () => bcrypt.hash('a', NaN), () => bcrypt.hash('a', '__proto__'),
      ]) try { await run(); codes.push('made'); } catch (error) { codes.push(error.code); }
      res.json(codes);`;
    const { body } = await answerOf('greedy', tries);
    expect(body).toEqual([
      ...['NOT_GRANTED', 'NOT_GRANTED', 'NOT_GRANTED', 'NOT_GRANTED', 'NOT_GRANTED'],
      ...['BAD_ARGUMENTS', 'BAD_ARGUMENTS', 'BAD_ARGUMENTS'],
    ]);
  });

  it('without the grant cannot require it, whatever else it is granted', async () => {
    const { status } = await answerOf('ungranted', 'res.json(1);', { version: 1 });
    expect(status).toBe(500);
    const [log] = await server.logs('ungranted');
    expect(log?.message).toContain('grants no `bcrypt`');
  });

  it('cannot be granted more than the policy limits of the operator', async () => {
    const { status, body } = await server.putPolicy('greedy', {
      version: 1,
      grants: { bcrypt: { maxRounds: 13 } },
    });
    expect([status, body.errors[0].field]).toEqual([400, 'grants.bcrypt.maxRounds']);
    expect(body.errors[0].message).toContain('must be 12 or less');
  });

  it('reads no getter of its own on the server, and changes nothing for the next request', async () => {
    const tries = `const seen = [];
      const text = { get length() { seen.push('length'); return 1; }, toString() { seen.push('toString'); return 'a'; } };
      const outcome = await bcrypt.hash(text, 10).then(() => 'made', (error) => error.name);
      try { bcrypt.hash = () => 'taken'; } catch {}
      res.json([outcome, seen, typeof require('bcryptjs').compare]);`;
    const { body } = await answerOf('getters', tries);
    expect(body).toEqual(['TypeError', [], 'function']);
  });
});

describe('code that hashes without end', () => {
  it('has so many at a time; the others are refused, and the server answers meanwhile', async () => {
    const tries = `const made = await Promise.allSettled(Array.from({ length: 40 }, () => bcrypt.hash('a', 10)));
      const codes = made.map(({ reason }) => (reason ? reason.code : 'made'));
      res.json([...new Set(codes)].sort());`;
    const path = await server.endpoint('flood', handler(tries), GRANT as never);
    const flood = server.call('POST', path, { body: {} });
    expect((await server.get('/hello', { token: null })).status).toBe(200);
    const { body } = await flood;
    expect(body).toEqual(['ENDPOINT_BUSY', 'made']);
  });

  it('is over with its request: the next one is served', async () => {
    const short = { ...GRANT, limits: { wallMs: 60 } };
    const tries = `for (let n = 0; n < 8; n += 1) bcrypt.hash('a', 10).catch(() => undefined);
      await bcrypt.hash('a', 10);`;
    const path = await server.endpoint('left-over', handler(tries), short as never);
    for (let n = 0; n < 3; n += 1)
      expect([500, 503, 504]).toContain((await server.call('POST', path, { body: {} })).status);
    const { body } = await answerOf('after', `res.json(await bcrypt.compare('a', '${OLDER_HASH}'));`);
    expect(body).toBe(true);
  });
});
