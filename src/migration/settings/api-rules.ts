// Settings of the older API that have another form now.
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { named } from '../report/report.ts';
import { type CarryRule, isBelow, isOn, numberValue, type SettingsPlan, textValue } from './settings-plan.ts';

const DEFAULT_MONGODB_PORT = 27_017;
const DEFAULT_REDIS_PORT = 6379;
/** Characters of a secret that signs uploads. */
const MIN_SECRET = 32;

function hostList(hosts: Json | undefined): string | undefined {
  const entries = Array.isArray(hosts) ? (hosts as readonly Json[]) : [];
  const addresses = entries.flatMap((entry) => {
    const host = isJsonObject(entry) ? textValue(entry['host']) : undefined;
    if (host === undefined || !/^[A-Za-z0-9._:[\]-]+$/.test(host) || !isJsonObject(entry)) return [];
    return [`${host}:${numberValue(entry['port']) ?? DEFAULT_MONGODB_PORT}`];
  });
  return addresses.length === 0 || addresses.length < entries.length ? undefined : addresses.join(',');
}

function mongodbUri(block: { readonly [name: string]: Json }): string | undefined {
  const hosts = hostList(block['hosts']);
  if (hosts === undefined) return undefined;
  const user = textValue(block['username']);
  const password = textValue(block['password']);
  const login =
    user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
  const database = textValue(block['database'] ?? block['defaultDatabase']) ?? '';
  const options = new URLSearchParams();
  const replicaSet = textValue(block['replicaSet']);
  const authDatabase = textValue(block['authDatabase']);
  if (replicaSet !== undefined && replicaSet !== 'false') options.set('replicaSet', replicaSet);
  if (isOn(block['ssl'])) options.set('tls', 'true');
  if (authDatabase !== undefined) options.set('authSource', authDatabase);
  const query = options.size === 0 ? '' : `?${options}`;
  return `mongodb://${login}${hosts}/${encodeURIComponent(database)}${query}`;
}

const CONNECTION: ReadonlySet<string> = new Set([
  ...['hosts', 'username', 'password', 'database', 'defaultDatabase', 'replicaSet', 'ssl', 'authDatabase'],
]);
const DATABASE_LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['readPreference', 'left out: reads go to the primary'],
  ['authMechanism', 'left out: the driver chooses it'],
  ['testdb', 'left out: it was for tests'],
]);

/** The blocks of the older settings that name databases. */
const DATABASE_BLOCKS: ReadonlySet<string> = new Set(['database', 'mongodb']);

/** Hosts, user and database are one connection string now, which is a secret as a whole. */
const database: CarryRule = (plan, { path }) => {
  const [block = '', name = '', ...more] = path.split('.');
  if (!DATABASE_BLOCKS.has(block)) return false;
  const given = plan.older.at(block);
  if (path === 'database.enableCollectionDatabases') return false;
  const left = DATABASE_LEFT_OUT.get(name);
  if (!isJsonObject(given) || (more.length > 0 && name !== 'hosts')) {
    plan.note(
      path,
      'hand',
      'a database of its own for some collections is not there: bring it over with `mongodump` and `mongorestore`',
    );
  } else if (left !== undefined) plan.note(path, 'changed', left);
  else if (!CONNECTION.has(name)) return false;
  else {
    const uri = mongodbUri(given);
    if (uri === undefined && name !== 'hosts') plan.note(path, 'changed', 'left out: there are no hosts');
    else if (uri === undefined)
      plan.note(path, 'hand', 'the hosts cannot be read: set `CLOISTER_DATABASE_MONGODB_URI`');
    else {
      plan.set('database.engine', 'mongodb');
      plan.setSecret('CLOISTER_DATABASE_MONGODB_URI', uri);
      plan.note(path, 'changed', 'a part of `CLOISTER_DATABASE_MONGODB_URI` in `.env`');
    }
  }
  return true;
};

/** Clients were documents with secrets in plain text. */
const clients: CarryRule = (plan, { path, value }) => {
  if (path === 'auth.tokenUrl') {
    if (value === '/token') plan.note(path, 'changed', 'left out: it is `/token` always');
    else
      plan.note(
        path,
        'hand',
        'tokens are got at `/token` alone: change the clients, or rewrite the path in a proxy',
      );
    return true;
  }
  if (path === 'auth.tokenCollection') {
    plan.note(path, 'changed', 'left out: tokens are not stored');
    return true;
  }
  if (path !== 'auth.clientCollection' && !isBelow(path, 'auth.database')) return false;
  plan.note(
    path,
    'hand',
    'clients are not read from there: `cloister import --from … --clients` brings them over with their secrets',
  );
  return true;
};

function redisUrl(block: { readonly [name: string]: Json }): string | undefined {
  const host = textValue(block['host']);
  if (host === undefined || !/^[A-Za-z0-9._:[\]-]+$/.test(host)) return undefined;
  const password = textValue(block['password']);
  const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `redis://${login}${host}:${numberValue(block['port']) ?? DEFAULT_REDIS_PORT}`;
}

function carryCaching(plan: SettingsPlan): void {
  const redis = plan.older.at('caching.redis');
  const usesRedis = isJsonObject(redis) && isOn(redis['enabled']);
  const url = usesRedis ? redisUrl(redis) : undefined;
  if (url !== undefined) {
    plan.set('cache.enabled', true);
    plan.set('cache.engine', 'redis');
    plan.setSecret('CLOISTER_CACHE_REDIS_URL', url);
  } else if (isOn(plan.older.at('caching.directory.enabled')) || isOn(plan.older.at('caching.enabled'))) {
    plan.set('cache.enabled', true);
    plan.set('cache.engine', 'filesystem');
  }
}

/** Answers are kept by one engine, in a folder of this server's own. */
const caching: CarryRule = (plan, { path, value }) => {
  if (!isBelow(path, 'caching')) return false;
  carryCaching(plan);
  if (path === 'caching.ttl') {
    const ttl = numberValue(value);
    if (ttl !== undefined) plan.set('cache.ttl', ttl);
    plan.note(
      path,
      ttl === undefined ? 'hand' : 'changed',
      ttl === undefined ? 'it is no number of seconds' : 'now `cache.ttl`',
    );
  } else if (isBelow(path, 'caching.redis') && isOn(plan.older.at('caching.redis.enabled'))) {
    const isKnown = plan.isSet('CLOISTER_CACHE_REDIS_URL');
    plan.note(
      path,
      isKnown ? 'changed' : 'hand',
      isKnown
        ? 'a part of `CLOISTER_CACHE_REDIS_URL` in `.env`'
        : 'the address cannot be read: set `CLOISTER_CACHE_REDIS_URL`',
    );
  } else if (path.endsWith('enabled') && isOn(value)) {
    plan.note(path, 'changed', 'now `cache.enabled` and `cache.engine`');
  } else plan.note(path, 'changed', 'left out: the cache has a folder of its own');
  return true;
};

/** Buckets without a specification get one; files have to be moved. */
const media: CarryRule = (plan, { path, value }) => {
  if (isBelow(path, 'media.buckets')) {
    const buckets = Array.isArray(value)
      ? (value as readonly Json[]).filter((bucket) => typeof bucket === 'string')
      : [];
    plan.note(
      path,
      'changed',
      buckets.length === 0
        ? 'left out: there are none'
        : `each bucket is a media collection: ${buckets.map((bucket) => named(String(bucket))).join(', ')}`,
    );
    return true;
  }
  if (path === 'media.tokenSecret' && (textValue(value)?.length ?? 0) < MIN_SECRET) {
    plan.note(path, 'changed', 'left out: it was short, a random one is made at the first start');
    return true;
  }
  if (path !== 'media.basePath') return false;
  const prefix = textValue(value)?.replace(/^[./]+/, '') ?? '';
  if (plan.older.at('media.storage') === 's3') {
    if (prefix !== '') plan.set('media.basePath', prefix);
    plan.note(path, 'changed', 'the prefix in the bucket, without `/` in front');
  } else
    plan.note(
      path,
      'changed',
      'left out: new files go to `workspace/media`; move the files of earlier uploads there, and correct their records',
    );
  return true;
};

export const API_RULES: readonly CarryRule[] = [database, clients, caching, media];
