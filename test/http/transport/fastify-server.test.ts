import { describe, expect, it, test } from 'vitest';
import type { HttpConnection } from '../../../src/http/transport/connection.ts';
import { createOnRequest } from '../../../src/http/transport/fastify-server.ts';
import { startApp } from '../../helpers/app/app.ts';
import { bareServer, type LogRecord } from '../bare-fastify-server.ts';

test('both listeners have the same headers, ids and limits on what comes first', async () => {
  const app = await startApp({ config: { server: { name: 'Both' } } });
  for (const server of [app.app.server, await app.app.deliveryServer()]) {
    const hello = await server.inject('/hello');
    expect(hello.headers).toMatchObject({ server: 'Both', 'x-content-type-options': 'nosniff' });
    expect(hello.headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    expect((await server.inject(`/hello?${'x'.repeat(20_000)}`)).statusCode).toBe(414);
    expect((await server.inject({ method: 'PURGE' as 'GET', url: '/hello' })).statusCode).toBe(405);
  }
  await app.close();
});

function withEntry(debugging: boolean, isSurplus = false) {
  const logged: LogRecord[] = [];
  const config = { server: { name: 'Test', trustProxy: false }, limits: { queryStringBytes: 100 } };
  const logger = {
    error: () => undefined,
    warn: () => undefined,
    debug: (fields: object, message: string) =>
      void logged.push({ level: 'debug', fields: { ...fields }, message }),
    isLevelEnabled: (level: string) => debugging && level === 'debug',
  };
  const connections = { get: () => ({ isSurplus }) as HttpConnection };
  const deps = { config, logger } as unknown as Parameters<typeof createOnRequest>[0];
  const { onRequest } = createOnRequest(deps, connections);
  const { server } = bareServer((bare) => {
    bare.addHook('onRequest', onRequest);
    bare.get('/health', async () => 'ok');
    bare.get('/a', async () => 'ok');
    bare.get('/*', async () => 'ok');
  });
  return { server, logged };
}

describe('every response', () => {
  it('names the server, its request, and forbids sniffing', async () => {
    const { server } = withEntry(false);
    const { headers } = await server.inject({ url: '/a' });
    expect(headers).toMatchObject({
      server: 'Test',
      'x-request-id': 'request-1',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is 414 when the query string is too long, and only then', async () => {
    const { server } = withEntry(false);
    const status = async (url: string) => (await server.inject({ url })).statusCode;
    expect(await status(`/a?${'x'.repeat(100)}`)).toBe(200);
    expect(await status(`/a?${'x'.repeat(101)}`)).toBe(414);
    expect(await status(`/${'x'.repeat(200)}?${'x'.repeat(100)}`)).toBe(200);
  });

  it('is logged at debug level, without its query', async () => {
    const { server, logged } = withEntry(true);
    await server.inject({ url: '/a?filter=secret' });
    expect(logged).toMatchObject([{ fields: { requestId: 'request-1', method: 'GET', path: '/a' } }]);
    const quiet = withEntry(false);
    await quiet.server.inject({ url: '/a' });
    expect(quiet.logged).toEqual([]);
  });
});

describe('a connection over the limit', () => {
  it('gets 503 with Retry-After, but /health', async () => {
    const { server } = withEntry(false, true);
    const refused = await server.inject({ url: '/a' });
    expect([refused.statusCode, refused.json().statusCode]).toEqual([503, 503]);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect((await server.inject({ url: '/health?a=b' })).statusCode).toBe(200);
  });
});
