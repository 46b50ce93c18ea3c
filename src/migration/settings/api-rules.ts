// Settings of the older API that have another form now.
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { named } from '../report/report.ts';
import { database } from './api-database.ts';
import { type CarryRule, isBelow, isOn, numberValue, type SettingsPlan, textValue } from './settings-plan.ts';

const DEFAULT_REDIS_PORT = 6379;
/** Characters of a secret that signs uploads. */
const MIN_SECRET = 32;

/** Settings of clients and tokens that nothing is lost with. */
const AUTH_LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['auth.tokenCollection', 'left out: tokens are not stored'],
  ['auth.cleanupInterval', 'left out: tokens are not stored'],
  ['auth.tokenKey', 'left out: tokens are signed with a secret that is made at the first start'],
  ['auth.datastore', 'left out: clients are in the database of the site'],
  ['auth.saltRounds', 'left out: secrets are hashed always'],
]);
const CLIENT_PLACES: ReadonlySet<string> = new Set([
  'auth.clientCollection',
  'auth.database',
  'auth.database.database',
]);
const ROLE_PLACES: ReadonlySet<string> = new Set([
  ...['auth.accessCollection', 'auth.roleCollection', 'auth.keyCollection'],
]);

/** Where clients were: one line says what to do, the others that it is said. */
function noteClients(plan: SettingsPlan, path: string): void {
  if (CLIENT_PLACES.has(path)) {
    plan.note(
      path,
      'hand',
      'clients are not read from there: `cloister import --from … --clients` brings them over with their secrets',
    );
  } else plan.note(path, 'changed', 'left out: clients are not read from there');
}

/** Clients were documents with secrets in plain text. */
const clients: CarryRule = (plan, { path, value }) => {
  const left = AUTH_LEFT_OUT.get(path);
  if (left !== undefined) plan.note(path, 'changed', left);
  else if (path === 'auth.tokenUrl' && value === '/token')
    plan.note(path, 'changed', 'left out: it is `/token` always');
  else if (path === 'auth.tokenUrl')
    plan.note(
      path,
      'hand',
      'tokens are got at `/token` alone: change the clients, or rewrite the path in a proxy',
    );
  else if (path === 'auth.hashSecrets' && isOn(value))
    plan.note(
      path,
      'hand',
      'secrets that were hashed cannot be checked here: `cloister clients add ID` gives a new one',
    );
  else if (path === 'auth.hashSecrets') plan.note(path, 'changed', 'left out: secrets are hashed always');
  else if (ROLE_PLACES.has(path))
    plan.note(path, 'changed', 'left out: `cloister import --clients` says which permissions it brings over');
  else if (path === 'auth.clientCollection' || isBelow(path, 'auth.database')) noteClients(plan, path);
  else return false;
  return true;
};

/** How internals were named is a setting of each specification. */
const internals: CarryRule = (plan, { path, value }) => {
  if (path !== 'internalFieldsPrefix') return false;
  if (value === '_' || value === '')
    plan.note(path, 'changed', 'now `settings.internals` of each specification');
  else plan.note(path, 'hand', 'internals are named `createdAt` or `_createdAt`: change the clients');
  return true;
};

/** Where the filestore had its files. */
const filestore: CarryRule = (plan, { path }) => {
  if (!isBelow(path, 'filestore')) return false;
  if (path === 'filestore.database.path')
    plan.note(
      path,
      'hand',
      'the documents are there: `cloister import --from` with this folder brings them over',
    );
  else plan.note(path, 'changed', 'left out: documents are in a database');
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

export const API_RULES: readonly CarryRule[] = [database, clients, internals, filestore, caching, media];
