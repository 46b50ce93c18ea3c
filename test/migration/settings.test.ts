// What becomes of the settings of the older servers.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { ReportSection } from '../../src/migration/report/report.ts';
import { carrySettings, nestedSettings } from '../../src/migration/settings/carry-settings.ts';
import { envFile } from '../../src/migration/settings/env-file.ts';
import type { ServerKind } from '../../src/migration/settings/settings-plan.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

async function carried(server: ServerKind, settings: JsonObject) {
  const section = new ReportSection('Settings');
  const { values, secrets } = await carrySettings(
    settings,
    { server, root: '/old', readSettings: new Set() },
    section,
  );
  const lines = Object.fromEntries(section.lines.map(({ subject, outcome }) => [subject, outcome]));
  return { settings: nestedSettings(values), secrets: Object.fromEntries(secrets), lines };
}

describe('settings of the older API', () => {
  it.each([
    [{ server: { port: '8000' } }, { server: { port: 8000 } }],
    [{ server: { port: 8082 } }, { server: { port: 8082 }, delivery: { port: 8083 } }],
    [{ publicUrl: { protocol: 'https', host: 'a.example', port: 443 } }, { publicUrl: 'https://a.example' }],
    [{ publicUrl: { host: 'a.example', port: '8080' } }, { publicUrl: 'http://a.example:8080' }],
    [
      { caching: { ttl: '60', directory: { enabled: true } } },
      { cache: { enabled: true, engine: 'filesystem', ttl: 60 } },
    ],
    [{ logging: { enabled: false, level: 'info' } }, { logging: { level: 'silent' } }],
    [{ media: { storage: 's3', basePath: '/up/loads' } }, { media: { storage: 's3', basePath: 'up/loads' } }],
    [{ media: { storage: 'disk', basePath: 'workspace/media' } }, { media: { storage: 'disk' } }],
    [
      { feedback: 'true', cors: true },
      { feedback: { enabled: true }, cors: { enabled: true } },
    ],
    [{ paths: { collections: 'workspace/collections' } }, {}],
    [{ query: { useVersionFilter: true } }, { query: { useVersionFilter: true } }],
  ])('%j are %j', async (older, newer) => {
    const { settings, lines } = await carried('api', older);
    expect(settings).toEqual(newer);
    expect(Object.values(lines)).not.toContain('hand');
  });

  it('have one connection string, which is a secret', async () => {
    const hosts = [
      { host: 'a', port: 27017 },
      { host: 'b.example', port: '27018' },
    ];
    const { settings, secrets, lines } = await carried('api', {
      database: {
        hosts,
        username: 'u@x',
        password: 'p:/?',
        database: 'site',
        replicaSet: 'rs0',
        ssl: true,
        readPreference: 'primary',
        enableCollectionDatabases: true,
      },
    });
    expect(settings).toEqual({ database: { engine: 'mongodb', enableCollectionDatabases: true } });
    expect(secrets).toEqual({
      CLOISTER_DATABASE_MONGODB_URI:
        'mongodb://u%40x:p%3A%2F%3F@a:27017,b.example:27018/site?replicaSet=rs0&tls=true',
    });
    expect(Object.values(lines)).not.toContain('hand');
  });

  it('of later versions have it in a file of its own', async () => {
    const { secrets } = await carried('api', {
      mongodb: { hosts: [{ host: 'a', port: 1 }], defaultDatabase: 'x' },
    });
    expect(secrets).toEqual({ CLOISTER_DATABASE_MONGODB_URI: 'mongodb://a:1/x' });
  });

  it.each([
    [{ database: { hosts: [{ host: 'evil/?x=@', port: 1 }] } }],
    [{ database: { hosts: [], other: { hosts: [{ host: 'b' }] } } }],
    [{ auth: { tokenUrl: '/login' } }],
    [{ auth: { clientCollection: 'clientStore' } }],
    [{ server: { protocol: 'https' } }],
    [{ search: { enabled: true } }],
    [{ email: { password: 'x' } }],
    [{ server: { port: 'eighty' } }],
    [{ caching: { redis: { enabled: true, host: '' } } }],
  ])('%j need a hand', async (older) => {
    expect(Object.values((await carried('api', older)).lines)).toContain('hand');
  });

  it('put the address and password of Redis among the secrets', async () => {
    const { settings, secrets } = await carried('api', {
      caching: { redis: { enabled: true, host: 'r', port: 6380, password: 'a b' } },
    });
    expect(settings).toEqual({ cache: { enabled: true, engine: 'redis' } });
    expect(secrets).toEqual({ CLOISTER_CACHE_REDIS_URL: 'redis://:a%20b@r:6380' });
  });

  it('put keys of buckets among the secrets, and leave out what is empty', async () => {
    const s3 = { accessKey: 'key', secretKey: 'secret', bucketName: '', region: 'eu-west-1' };
    const { settings, secrets } = await carried('api', { media: { s3 } });
    expect(settings).toEqual({ media: { s3: { region: 'eu-west-1' } } });
    expect(secrets).toEqual({ CLOISTER_MEDIA_S3_ACCESS_KEY: 'key', CLOISTER_MEDIA_S3_SECRET_KEY: 'secret' });
  });
});

describe('settings of the older CDN', () => {
  it.each([
    [{ server: { host: '127.0.0.1', port: 8001 } }, { delivery: { host: '127.0.0.1', port: 8001 } }],
    [{ server: { port: 8081 } }, { delivery: { port: 8081 }, server: { port: 8082 } }],
    [{ security: { maxWidth: 100, maxHeight: '50' } }, { delivery: { render: { maxOutputPixels: 5000 } } }],
    [
      { images: { directory: { enabled: true, path: 'pictures' } } },
      { images: { directory: { enabled: true, path: '/old/pictures' } } },
    ],
    [
      { assets: { directory: { enabled: false, path: './public' } } },
      { assets: { directory: { enabled: false, path: '/old/public' } } },
    ],
    [
      { assets: { directory: { enabled: true } } },
      { assets: { directory: { enabled: true, path: '/old/public' } } },
    ],
    [{ assets: { s3: { enabled: false } } }, {}],
    [{ notFound: { statusCode: 410 } }, { notFound: { statusCode: 410 } }],
    [{ images: { remote: { enabled: false, path: 'http://x' } } }, {}],
    [{ headers: { cacheControl: 'no-cache' } }, { delivery: { cacheControl: 'no-cache' } }],
    [
      { geolocation: { maxmind: { countryDbPath: './a.mmdb' } } },
      { geolocation: { countryDbPath: '/old/a.mmdb' } },
    ],
    [{ cloudfront: { enabled: false, accessKey: 'x' }, robots: '', plugins: [] }, {}],
    [{ cluster: true, status: { enabled: true, port: 8003 } }, {}],
  ])('%j are %j', async (older, newer) => {
    const { settings, lines } = await carried('cdn', older);
    expect(settings).toEqual(newer);
    expect(Object.values(lines)).not.toContain('hand');
  });

  it('make its one client the admin, if it has both parts', async () => {
    expect((await carried('cdn', { auth: { clientId: 'a', secret: 'b' } })).secrets).toEqual({
      CLOISTER_ADMIN_ID: 'a',
      CLOISTER_ADMIN_SECRET: 'b',
    });
    expect((await carried('cdn', { auth: { clientId: 'a', secret: '' } })).secrets).toEqual({});
  });

  it('allow the server that images came from, also one in the same house', async () => {
    const { settings } = await carried('cdn', {
      images: { remote: { enabled: true, path: 'http://10.0.0.1:90/x', allowFullURL: false } },
    });
    expect(settings).toEqual({
      images: { remote: { enabled: true, allow: ['http://10.0.0.1:90'], allowPrivateAddresses: true } },
    });
  });
});

describe('the env file', () => {
  const VALUES = [
    'plain',
    'with space',
    '$HOME `id` \\n "x"',
    "it's",
    '#hash',
    'a=b',
    ' lead',
    'ünï',
    '!!',
    '~',
    '',
  ];
  const values = new Map(VALUES.map((value, index) => [`CLOISTER_V${index}`, value]));

  it('means the same to a shell and to Node', async () => {
    const { text, left } = envFile(values);
    expect(left).toEqual([]);
    expect(parseEnv(text)).toEqual(Object.fromEntries(values));
    const file = join(await temporaryFolder(), '.env');
    writeFileSync(file, text);
    const printed = execFileSync('sh', ['-c', 'set -a; . "$0"; env -0', file], {
      env: { PATH: process.env['PATH'] },
    });
    const found = Object.fromEntries(
      String(printed)
        .split('\0')
        .flatMap((line) =>
          line.startsWith('CLOISTER_')
            ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]]
            : [],
        ),
    );
    expect(found).toEqual(Object.fromEntries(values));
  });

  it('leaves out what no quotes hold for both', () => {
    expect(
      envFile(
        new Map([
          ['A', 'two\nlines'],
          ['B', `'"$`],
        ]),
      ),
    ).toMatchObject({ left: ['A', 'B'] });
  });
});
