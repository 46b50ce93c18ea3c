// The refusal of what waits, on the whole application: who refuses, whom it tells, and what goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../../helpers/app/endpoint-server.ts';
import { addReviewer } from '../../helpers/app/site.ts';

const saying = (text: string) => `module.exports.get = (req, res) => res.end('${text}');`;
const books = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };

let server: EndpointServer;
let reviewer: string;
let both: string;

beforeAll(async () => {
  server = await startEndpointServer({ config: { sandbox: { review: 'all' } } });
  reviewer = await addReviewer(server, 'reviewer');
  both = await addReviewer(server, 'both', true);
});

afterAll(() => server.close());

const post = (name: string, body: string, token?: string) =>
  server.call('POST', `/1.0/${name}/config`, {
    body,
    headers: { 'content-type': 'text/plain' },
    ...(token === undefined ? {} : { token }),
  });
const put = (path: string, policy: object) => server.call('PUT', `${path}/policy`, { body: policy });
const approve = (name: string, version: number, token: string) =>
  server.call('POST', `/1.0/${name}/versions/${version}/approve`, { token });
const refused = async (answer: Promise<{ status: number; body: { errors: { code: string }[] } }>) => {
  const { status, body } = await answer;
  return [status, body.errors?.[0]?.code];
};

describe('a refusal', () => {
  const refuse = (name: string, version: number, token?: string) =>
    server.call('POST', `/1.0/${name}/versions/${version}/refuse`, {
      body: { reason: '<b>It says too much</b>' },
      ...(token === undefined ? {} : { token }),
    });

  it('needs the right, as an approval does, and is never of one’s own code', async () => {
    await post('mine', saying('mine'), both);
    expect((await refuse('mine', 1, await server.userToken('somebody'))).status).toBe(401);
    expect(await refused(refuse('mine', 1))).toEqual([403, 'APPROVAL_REFUSED']);
    expect(await refused(refuse('mine', 1, both))).toEqual([403, 'APPROVAL_REFUSED']);
    expect((await refuse('mine', 2, reviewer)).status).toBe(404);
    expect((await refuse('mine', 1, reviewer)).status).toBe(200);
  });

  it('is told to the author, and ends the waiting for good, of code and of policies', async () => {
    await post('no', saying('one'));
    await approve('no', 1, reviewer);
    await post('no', saying('two'));
    await put('/1.0/no', { version: 1, grants: books });
    for (const version of [2, 3]) {
      expect((await refuse('no', version, reviewer)).status).toBe(200);
      expect(await refused(approve('no', version, reviewer))).toEqual([409, 'VERSION_REFUSED']);
      expect(await refused(refuse('no', version, reviewer))).toEqual([409, 'VERSION_REFUSED']);
    }
    const { versions } = (await server.get('/1.0/no/versions')).body;
    const reasons = versions.map(({ refused: found }: { refused?: object }) => found);
    const told = { by: 'reviewer', at: expect.any(Number), reason: '<b>It says too much</b>' };
    expect(reasons).toEqual([undefined, told, told]);
    expect((await server.get('/1.0/no/policy')).body).not.toHaveProperty('code.pending');
    expect((await server.get('/1.0/no')).text).toBe('one');
    const { audit } = (await server.get('/api/audit?action=endpoint.refuse&target=/1.0/no')).body;
    expect(audit.map(({ clientId }: { clientId: string }) => clientId)).toEqual(['reviewer', 'reviewer']);
  });

  it('has a reason in any script, which comes back as it was', async () => {
    const long = '\u{1f600}'.repeat(1000);
    for (const [index, reason] of [
      'Zu groß\nund \u202eumgedreht',
      '$set.{"a":1}',
      'null\u0000byte',
      long,
    ].entries()) {
      await post('scripts', saying(`${index}`));
      const url = `/1.0/scripts/versions/${index + 1}/refuse`;
      const { status } = await server.call('POST', url, { body: { reason }, token: reviewer });
      const { versions } = (await server.get('/1.0/scripts/versions')).body;
      const told = versions[index].refused?.reason;
      expect([status, told]).toEqual([200, reason]);
    }
    const half = await server.call('POST', '/1.0/scripts/versions/1/refuse', {
      body: { reason: '\ud83d' },
      token: reviewer,
    });
    expect(half.status).toBe(400);
  });

  it('that meets an approval of another reviewer leaves one of the two', async () => {
    const second = await addReviewer(server, 'second');
    await post('both', saying('one'));
    const answers = await Promise.all([approve('both', 1, second), refuse('both', 1, reviewer)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const isApproved = answers[0].status === 200;
    expect((await server.get('/1.0/both')).status).toBe(isApproved ? 200 : 503);
  });
});
