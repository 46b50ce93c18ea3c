import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAllowedDestinations } from '../../../src/lib/egress/addresses.ts';
import { createDestinationResolver, createNameResolver } from '../../../src/lib/egress/destination.ts';
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

test('a public name or address is an allowed destination', async () => {
  const { destination, asked } = bench({ 'example.com': ['93.184.216.34', '2606:2800::1'] });
  expect(await destination('https://example.com./x')).toEqual([
    v4('93.184.216.34'),
    { address: '2606:2800::1', family: 6 },
  ]);
  expect(await destination('https://1.1.1.1/')).toEqual([v4('1.1.1.1')]);
  expect(asked).toEqual({ public: ['example.com'], own: [] });
});

test.each(['http://127.0.0.1/', 'http://[::ffff:a9fe:a9fe]/', 'http://0/', 'http://inner.example.com/'])(
  'the destination %s is rejected',
  async (url) => {
    const { destination } = bench({ 'inner.example.com': ['192.168.0.1'] });
    await expect(destination(url)).rejects.toMatchObject({ reason: 'address' });
  },
);

test('an address that the operator lists is an allowed destination, at that port only', async () => {
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

const A = 1;
const AAAA = 28;

/** Answers questions of one type with one address, others with nothing. */
async function nameServer(answers: ReadonlyMap<number, readonly number[]>) {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port }) => {
    const end = question.indexOf(0, 12) + 5;
    const address = answers.get(question.readUInt16BE(end - 4));
    const head = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
    const record = address
      ? [0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 60, 0, address.length, ...address]
      : [];
    socket.send(Buffer.concat([head, question.subarray(12, end), Buffer.from(record)]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await new Promise((resolve) => socket.once('listening', resolve));
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return createNameResolver(() => resolver);
}

const LOOPBACK_V6 = [...Array.from({ length: 15 }, () => 0), 1];

test('a DNS lookup asks for IPv4 and IPv6 addresses', async () => {
  const names = await nameServer(
    new Map([
      [A, [1, 2, 3, 4]],
      [AAAA, LOOPBACK_V6],
    ]),
  );
  expect(await names.public('api.example.test')).toEqual([
    { address: '1.2.3.4', family: 4 },
    { address: '::1', family: 6 },
  ]);
});

test('a DNS lookup succeeds with addresses of one family, and fails without any', async () => {
  const names = await nameServer(new Map([[A, [1, 2, 3, 4]]]));
  expect(await names.public('api.example.test')).toEqual([{ address: '1.2.3.4', family: 4 }]);
  const empty = await nameServer(new Map());
  await expect(empty.public('api.example.test')).rejects.toMatchObject({ reason: 'name' });
});

test('a DNS lookup uses only the addresses of an answer', async () => {
  const names = createNameResolver(() => ({
    resolve4: async () => ['1.2.3.4', '::1', 'example.com', ''],
    resolve6: async () => ['1.2.3.4', '2606::1'],
  }));
  expect((await names.public('x')).map(({ address }) => address)).toEqual(['1.2.3.4', '2606::1']);
});

test('names that the operator allows are resolved by the system', async () => {
  const names = createNameResolver();
  const addresses = (await names.own('localhost')).map(({ address }) => address);
  expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(addresses));
  await expect(names.own('')).rejects.toMatchObject({ reason: 'name' });
  await expect(names.own('no\0name')).rejects.toMatchObject({ reason: 'name' });
});
