import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors/errors.ts';
import {
  createClientSource,
  isDatabaseName,
  locateNamespace,
  namespaceDatabases,
} from '../../../../src/stores/mongo-documents/connection/connection-string.ts';

const read = (uri: string) => createClientSource({ uri, maxPoolSize: 20, minPoolSize: 2, queueMs: 700 });

const optionsOf = (uri: string) => read(uri).create().options;

describe('a connection string', () => {
  it.each([
    ['mongodb://host', 'cloister'],
    ['mongodb://host/', 'cloister'],
    ['mongodb://host/?replicaSet=a', 'cloister'],
    ['mongodb://host?replicaSet=a', 'cloister'],
    ['mongodb://host/site', 'site'],
    ['mongodb://a:b@one:1,two:2/my%2Dsite?replicaSet=a', 'my-site'],
    ['mongodb+srv://a:b@cluster.example.org/site', 'site'],
  ])('%s names the database %s', (uri, database) => {
    expect(read(uri).database).toBe(database);
  });

  it('keeps credentials, hosts and transport options', () => {
    const options = optionsOf(
      'mongodb://us%40er:p%3Aw@one:1,two:2/site?replicaSet=a&authSource=users&tls=true&compressors=zlib',
    );
    expect(options.credentials).toMatchObject({ username: 'us@er', password: 'p:w', source: 'users' });
    expect(options.hosts.map(String)).toEqual(['one:1', 'two:2']);
    expect(options).toMatchObject({ replicaSet: 'a', tls: true, compressors: ['zlib'], dbName: 'site' });
    expect(optionsOf('mongodb://a:b@host/site').credentials).toMatchObject({ source: 'site' });
    expect(optionsOf('mongodb://a:b@host/').credentials).toMatchObject({ source: 'admin' });
  });

  it.each([
    'w=0',
    'w=1&journal=false&wtimeoutMS=1',
    'J=false',
    'readPreference=nearest&readPreferenceTags=dc:ny&maxStalenessSeconds=120',
    'readConcernLevel=available',
    'retryWrites=false&retryReads=false',
    'maxPoolSize=1&minPoolSize=1&waitQueueTimeoutMS=1',
    'serverSelectionTimeoutMS=1&connectTimeoutMS=1&socketTimeoutMS=1&heartbeatFrequencyMS=600&timeoutMS=1',
    'promoteValues=false&promoteLongs=false&bsonRegExp=false&raw=true&useBigInt64=true&ignoreUndefined=false',
    'appName=other',
  ])('cannot weaken the guarantees of the store: %s', (query) => {
    const [plain, odd] = [optionsOf('mongodb://host/site'), optionsOf(`mongodb://host/site?${query}`)];
    expect(inspect(odd, { depth: 3 })).toBe(inspect(plain, { depth: 3 }));
    expect(odd).toMatchObject({
      appName: 'cloister',
      maxPoolSize: 20,
      minPoolSize: 2,
      waitQueueTimeoutMS: 700,
    });
    expect(odd).toMatchObject({ retryReads: true, retryWrites: true, promoteValues: true, bsonRegExp: true });
    expect(odd.writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(odd.readConcern).toMatchObject({ level: 'majority' });
    expect(odd.readPreference.mode).toBe('primary');
  });

  it('never has a minPoolSize above maxPoolSize', () => {
    const source = createClientSource({ uri: 'mongodb://host', maxPoolSize: 2, minPoolSize: 50, queueMs: 1 });
    expect(source.create().options).toMatchObject({ maxPoolSize: 2, minPoolSize: 2 });
  });

  it.each([
    'PRIVATE',
    'http://PRIVATE',
    'mongodb://',
    'mongodb:///PRIVATE',
    'mongodb://PRIVATE:PRI%VATE@host/',
    'mongodb://host/PRI%VATE',
    'mongodb://PRIVATE:PRIVATE@host/?PRIVATE=1',
    'mongodb://PRIVATE:PRIVATE@host/?tls=PRIVATE',
    'mongodb://PRIVATE:PRIVATE@host/?authMechanism=PRIVATE',
    'mongodb://PRIVATE:PRIVATE@host:PRIVATE/',
    'mongodb://PRIVATE:PRIVATE@host:99999999/',
    'mongodb://PRIVATE:PRI@VATE@host/',
    'mongodb://PRIVATE:PRIVATE@one,two/?directConnection=true',
    'mongodb+srv://PRIVATE:PRIVATE@one,two/',
    'mongodb+srv://PRIVATE:PRIVATE@host.example.org:1/',
    'mongodb://host/PRIVATE.a',
    'mongodb://PRIVATE:PRIVATE@host/admin',
    `mongodb://host/${'PRIVATE'.repeat(10)}`,
  ])('that is invalid is rejected without quoting it: %s', (uri) => {
    let refusal: unknown;
    try {
      read(uri);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({
      code: 'CONFIGURATION_INVALID',
      items: [{ field: 'database.mongodb.uri', message: expect.stringContaining('database.mongodb.uri') }],
    });
    const told = (refusal as Error).stack?.split('\n    at ')[0] ?? '';
    expect(told + inspect({ ...(refusal as AppError) }, { depth: null })).not.toMatch(/PRI/);
    expect((refusal as Error).cause).toBeUndefined();
  });

  it('returns its secrets, encoded and decoded', () => {
    const { secrets } = read(
      'mongodb://us%65r:p%40ss%3Aword@host/site?proxyHost=p&proxyUsername=prox&proxyPassword=through%2F&tlsCertificateKeyFilePassword=key+pass',
    );
    for (const secret of [
      'us%65r',
      'user',
      'p%40ss%3Aword',
      'p@ss:word',
      'prox',
      'through/',
      'through%2F',
      'key pass',
    ]) {
      expect(secrets).toContain(secret);
    }
    expect(read('mongodb://host/site').secrets).toEqual([]);
  });
});

it.each(['library', 'my-site_2', 'é', 'a'.repeat(63), 'constructor'])(
  'a database may be called %j',
  (name) => {
    expect(isDatabaseName(name)).toBe(true);
  },
);

it.each([
  '',
  'admin',
  'local',
  'config',
  'a.b',
  'a b',
  'a/b',
  'a\\b',
  'a"b',
  'a$b',
  'a\0b',
  'a'.repeat(64),
  'é'.repeat(32),
])('a database must not be called %j', (name) => {
  expect(isDatabaseName(name)).toBe(false);
});

it('a namespace without a database is in that of the connection string', () => {
  expect(locateNamespace({ database: null, collection: 'books' }, 'site')).toEqual({
    database: 'site',
    collection: 'books',
  });
  expect(locateNamespace({ database: 'library', collection: 'books' }, 'site')).toEqual({
    database: 'library',
    collection: 'books',
  });
});

it('the database of the connection string is listed as null, and system databases are not listed', () => {
  expect(namespaceDatabases(['admin', 'config', 'library', 'local', 'site'], 'site')).toEqual([
    null,
    'library',
  ]);
});
