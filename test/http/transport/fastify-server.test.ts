import { expect, test } from 'vitest';
import { startApp } from '../../helpers/app/app.ts';

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
