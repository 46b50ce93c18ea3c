// Behind a proxy, everything that is told of the client has its address: endpoints, hooks of reads and writes, the audit log.
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startEndpointServer } from '../helpers/app/endpoint-server.ts';

const CLIENT = '203.0.113.9';
/** A second one in front of the trusted one may say what it likes. */
const headers = { 'x-forwarded-for': `198.51.100.1, ${CLIENT}` };

const ENDPOINT = 'module.exports.get = (req, res) => res.end(req.ip);';
const HOOK = 'module.exports = (obj, type, { req }) => { console.log(type + " " + req.ip); return obj; };';

it('the address behind a proxy is that of the client for endpoints, hooks and the audit log', async () => {
  const server = await startEndpointServer({ config: { server: { trustProxy: 1 } } });
  onTestFinished(() => server.close());
  await server.endpoint('address', ENDPOINT);
  const code = { body: HOOK, headers: { 'content-type': 'text/plain' } };
  expect((await server.call('POST', '/api/hooks/address/config', code)).status).toBe(200);
  const hooks = { beforeCreate: ['address'], beforeGet: ['address'] };
  const body: JsonObject = { fields: { title: { type: 'String' } }, settings: { hooks } };
  expect((await server.call('POST', '/1.0/library/visits/config', { body, headers })).status).toBe(200);

  expect((await server.get('/1.0/address', { headers })).text).toBe(CLIENT);
  const created = { body: { title: 'a' }, headers };
  expect((await server.call('POST', '/1.0/library/visits', created)).status).toBe(200);
  expect((await server.get('/1.0/library/visits', { headers })).status).toBe(200);
  const { logs } = (await server.get('/api/hooks/address/logs')).body;
  const told = logs.map(({ message }: { message: string }) => message);
  expect(told.sort()).toEqual([`beforeCreate ${CLIENT}`, `beforeGet ${CLIENT}`]);
  const { audit } = (await server.get('/api/audit')).body;
  expect(audit.at(-1)).toMatchObject({ target: '/1.0/library/visits', address: CLIENT });
});
