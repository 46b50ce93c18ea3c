// Every setting that the older servers knew has a line of its own, and none is taken for one that the site itself had made up.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { ReportSection } from '../../src/migration/report/report.ts';
import { carrySettings, nestedSettings } from '../../src/migration/settings/carry-settings.ts';

const REDIS = { enabled: true, cluster: true, host: 'r', port: 6379, password: 'p' };
const LOGGING = {
  enabled: true,
  level: 'info',
  path: './log',
  filename: 'api',
  extension: 'log',
  stream: 'x',
  filter: ['a'],
  sentry: { dsn: 'https://a@b/1' },
  accessLog: { enabled: true, kinesisStream: 'k', fileRotationPeriod: '1d', fileRetentionCount: 7 },
};
const SSL = {
  sslPassphrase: 'x',
  sslPrivateKeyPath: 'k',
  sslCertificatePath: 'c',
  sslIntermediateCertificatePath: 'i',
  sslIntermediateCertificatePaths: ['i'],
};
const S3 = { accessKey: 'a', secretKey: 's', bucketName: 'b', region: 'eu-west-1', endpoint: 'http://s3' };
const SERVER = {
  host: '::',
  port: 8081,
  redirectPort: 80,
  name: 'n',
  protocol: 'https',
  enableHTTPSRedirect: true,
};

/** Of 1.x to 6.x of the API, with values that switch on what they are about. */
const API: JsonObject = {
  app: { name: 'a' },
  server: { ...SERVER, ...SSL },
  publicUrl: { host: 'a.example', port: 443, protocol: 'https' },
  database: {
    hosts: [{ host: 'h', port: 1 }],
    username: 'u',
    password: 'p',
    database: 'd',
    ssl: true,
    replicaSet: 'rs',
    readPreference: 'primary',
    enableCollectionDatabases: true,
    testdb: { hosts: [] },
  },
  mongodb: {
    hosts: 'h:1,g:2',
    username: 'u',
    password: 'p',
    database: 'd',
    ssl: true,
    replicaSet: 'rs',
    enableCollectionDatabases: true,
    authMechanism: 'x',
    authDatabase: 'admin',
    maxPoolSize: 5,
  },
  filestore: { database: { path: 'db', autosaveInterval: 1000, serializationMode: 'normal' } },
  datastore: '@dadi/api-mongodb',
  databaseConnection: { maxRetries: 10 },
  auth: {
    tokenUrl: '/login',
    tokenTtl: 1800,
    tokenKey: 'k',
    hashSecrets: true,
    saltRounds: 10,
    clientCollection: 'c',
    tokenCollection: 't',
    accessCollection: 'a',
    roleCollection: 'r',
    keyCollection: 'k',
    datastore: '@dadi/api-mongodb',
    cleanupInterval: 3600,
    database: { hosts: [] },
  },
  caching: {
    ttl: 300,
    redis: REDIS,
    directory: { enabled: true, path: './cache', extension: 'json', autoFlush: true, autoFlushInterval: 60 },
  },
  logging: LOGGING,
  paths: { collections: 'c', endpoints: 'e', hooks: 'h', media: 'm', schemas: 's' },
  feedback: true,
  status: {
    enabled: true,
    standalone: true,
    port: 8003,
    routes: [{ route: '/x' }],
    requireAuthentication: true,
  },
  query: { useVersionFilter: true, useApiVersion: true },
  media: {
    enabled: true,
    defaultBucket: 'b',
    buckets: ['c'],
    tokenSecret: 'x',
    tokenExpiresIn: '1h',
    storage: 's3',
    basePath: 'm',
    pathFormat: 'date',
    s3: S3,
  },
  search: { enabled: true, minQueryLength: 3, wordCollection: 'w', datastore: 'd', database: 's' },
  i18n: { defaultLanguage: 'en', languages: ['fr'], fieldCharacter: ':' },
  schemas: { collection: 'schemaStore', loadPath: 'workspace/schemas' },
  workQueue: { debounceTime: 500, pollingInterval: 200, timeBetweenBatches: 1 },
  featureQuery: { enabled: true },
  internalFieldsPrefix: '$',
  env: 'production',
  cluster: true,
  cors: true,
};

/** Of 1.x to 4.x of the CDN. */
const CDN: JsonObject = {
  server: { ...SERVER, ...SSL },
  publicUrl: { host: 'a.example', port: 80, protocol: 'http' },
  images: {
    directory: { enabled: true, path: './images' },
    s3: { enabled: true, ...S3 },
    remote: { enabled: true, path: 'http://o.example', allowFullURL: true },
  },
  assets: {
    directory: { enabled: true, path: './public' },
    s3: { enabled: true, ...S3 },
    remote: { enabled: true, path: 'http://o.example' },
  },
  caching: {
    ttl: 1,
    expireAt: '0 0 * * *',
    cache404: true,
    directory: { enabled: true, path: 'c' },
    redis: REDIS,
  },
  cache404: true,
  status: { enabled: true, routes: [], requireAuthentication: true },
  security: { maxWidth: 1, maxHeight: 2 },
  auth: { tokenUrl: '/token', clientId: 'c', secret: 's', tokenTtl: 1, privateKey: 'k' },
  cloudfront: { enabled: true, accessKey: 'a', secretKey: 's', distribution: 'd' },
  cluster: true,
  gzip: true,
  robots: 'r.txt',
  feedback: true,
  env: 'qa',
  defaultFiles: ['index.html'],
  paths: { plugins: 'p', recipes: 'r', routes: 'o', processors: 'x' },
  geolocation: {
    enabled: true,
    method: 'remote',
    maxmind: { countryDbPath: 'x.mmdb' },
    remote: { url: 'http://g/{ip}', key: 'k', secret: 's', countryPath: 'c' },
  },
  network: { url: 'http://n/{ip}', path: 'p', key: 'k', secret: 's' },
  notFound: { statusCode: 404, images: { enabled: true, path: 'm.png' } },
  engines: { sharp: { kernel: 'lanczos3', sequentialRead: true } },
  headers: {
    useGzipCompression: true,
    cacheControl: { default: 'x', paths: [{ a: 'b' }], mimetypes: [{ 'text/css': 'y' }] },
  },
  http: { followRedirects: 10 },
  experimental: { jsTranspiling: true },
  multiDomain: { enabled: true, directory: 'd' },
  upload: { enabled: true, requireAuthentication: true, pathFormat: 'date' },
  logging: LOGGING,
};

async function report(server: 'api' | 'cdn', settings: JsonObject, readSettings: readonly string[] = []) {
  const section = new ReportSection('Settings');
  const carried = await carrySettings(
    settings,
    { server, root: '/old', readSettings: new Set(readSettings) },
    section,
  );
  return { ...carried, lines: section.lines };
}

describe('settings that the older servers knew', () => {
  it.each([
    ['api', API],
    ['cdn', CDN],
  ] as const)('of the %s are told by what they were', async (server, settings) => {
    const { lines } = await report(server, settings);
    const unknown = lines.filter(({ notes }) =>
      notes.some((note) => note.includes('there is no such setting')),
    );
    expect(unknown.map(({ subject }) => subject)).toEqual([]);
    expect(lines.filter(({ outcome, notes }) => outcome !== 'kept' && notes.length === 0)).toEqual([]);
  });

  it('are not mixed up with what a site made up itself, which is told unless code gets it', async () => {
    const { lines } = await report('api', { maps: { key: 'k', zoom: 4 }, name: 'x' }, ['maps.zoom', 'name']);
    expect(lines.map(({ subject, outcome }) => [subject, outcome])).toEqual([
      ['maps.key', 'hand'],
      ['maps.zoom', 'changed'],
      ['name', 'changed'],
    ]);
  });
});

describe('databases of later versions', () => {
  const connection = async (mongodb: JsonObject) => {
    const { secrets, values, lines } = await report('api', { mongodb });
    const hands = lines.filter(({ outcome }) => outcome === 'hand').map(({ subject }) => subject);
    return { uri: secrets.get('CLOISTER_DATABASE_MONGODB_URI'), settings: nestedSettings(values), hands };
  };

  it('have their hosts as text, too', async () => {
    const { uri, hands } = await connection({ hosts: 'a:1, b', database: 'd', authDatabase: 'admin' });
    expect(uri).toBe('mongodb://a:1,b/d?authSource=admin');
    expect(hands).toEqual([]);
    expect(await connection({ hosts: 'a/x?y', database: 'd' })).toMatchObject({
      uri: undefined,
      hands: ['mongodb.hosts'],
    });
  });

  it('are one connection where there is one, by its own name or id', async () => {
    const block = { hosts: 'a:1', username: 'u', password: 'p', ssl: true };
    expect(await connection({ databases: { shop: block } })).toEqual({
      uri: 'mongodb://u:p@a:1/shop?tls=true',
      settings: { database: { engine: 'mongodb' } },
      hands: [],
    });
    expect((await connection({ hosts: 'h:1', databases: { shop: { id: 'real' } } })).uri).toBe(
      'mongodb://h:1/real',
    );
  });

  it('of one deployment are a database for each folder, which somebody has to look at', async () => {
    const { uri, settings, hands } = await connection({
      databases: { a: { hosts: 'h:1' }, b: { hosts: 'h:1', default: true } },
    });
    expect(uri).toBe('mongodb://h:1/b');
    expect(settings).toEqual({ database: { engine: 'mongodb', enableCollectionDatabases: true } });
    expect(hands).toEqual(['mongodb.databases.a.hosts', 'mongodb.databases.b.hosts']);
  });

  it('of several deployments are brought into that of the default one', async () => {
    const { uri, hands } = await connection({
      databases: { a: { hosts: 'g:1' }, b: { hosts: 'h:1', default: true } },
    });
    expect(uri).toBe('mongodb://h:1/b');
    expect(hands).toEqual(['mongodb.databases.a.hosts']);
  });

  it('with a block that is none are told', async () => {
    expect((await connection({ databases: { a: 'h:1' } })).uri).toBeUndefined();
    expect((await connection({ shop: { hosts: [] } })).hands).toEqual(['mongodb.shop.hosts']);
    expect((await connection({ username: 'u' })).hands).toEqual([]);
  });
});
