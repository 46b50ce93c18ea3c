import { expect, test } from 'vitest';
import { createAllowedDestinations } from '../../../src/lib/egress/addresses.ts';
import { createDestinationResolver } from '../../../src/lib/egress/destination.ts';
import { namesOf } from '../../capabilities/fetch/servers.ts';

const v4 = (address: string) => ({ address, family: 4 });

function bench(table: Readonly<Record<string, readonly string[]>>, allow: readonly string[] = []) {
  const names = namesOf(table);
  const asked = { public: [] as string[], own: [] as string[] };
  const destination = createDestinationResolver(
    {
      public: (name) => {
        asked.public.push(name);
        return names.public(name);
      },
      own: (name) => {
        asked.own.push(name);
        return names.own(name);
      },
    },
    createAllowedDestinations(allow),
  );
  return { asked, destination: (url: string, publicOnly?: boolean) => destination(new URL(url), publicOnly) };
}

test('a public name or address is gone to', async () => {
  const { destination, asked } = bench({ 'example.com': ['93.184.216.34', '2606:2800::1'] });
  expect(await destination('https://example.com./x')).toEqual([
    v4('93.184.216.34'),
    { address: '2606:2800::1', family: 6 },
  ]);
  expect(await destination('https://1.1.1.1/')).toEqual([v4('1.1.1.1')]);
  expect(asked).toEqual({ public: ['example.com'], own: [] });
});

test.each(['http://127.0.0.1/', 'http://[::ffff:a9fe:a9fe]/', 'http://0/', 'http://inner.example.com/'])(
  '%s is refused',
  async (url) => {
    const { destination } = bench({ 'inner.example.com': ['192.168.0.1'] });
    await expect(destination(url)).rejects.toMatchObject({ reason: 'address' });
  },
);

test('what the operator opens is gone to, at that port alone', async () => {
  const table = { 'inner.example.com': ['10.1.2.3'], 'api.example.com': ['10.9.9.9'] };
  const { destination, asked } = bench(table, ['127.0.0.1:9000', 'inner.example.com:80', '10.9.9.9:443']);
  expect(await destination('http://127.0.0.1:9000/')).toEqual([v4('127.0.0.1')]);
  expect(await destination('http://inner.example.com/')).toEqual([v4('10.1.2.3')]);
  expect(await destination('https://api.example.com/')).toEqual([v4('10.9.9.9')]);
  expect(asked).toEqual({ public: ['api.example.com'], own: ['inner.example.com'] });
  // Whoever may ask any public host may point a name of theirs at what is open.
  for (const url of ['http://127.0.0.1:9000/', 'https://api.example.com/']) {
    await expect(destination(url, true)).rejects.toMatchObject({ reason: 'address' });
  }
  for (const url of ['http://127.0.0.1/', 'https://inner.example.com/', 'http://api.example.com/']) {
    await expect(destination(url)).rejects.toMatchObject({ reason: 'address' });
  }
});
