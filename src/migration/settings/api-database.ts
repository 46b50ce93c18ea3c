// Where the older API had its documents: hosts, user and database are one connection string now, which is a secret as a whole.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type CarryRule, isOn, numberValue, type SettingsPlan, textValue } from './settings-plan.ts';

const DEFAULT_PORT = 27_017;
const HOST = /^[A-Za-z0-9._:[\]-]+$/;

/** The hosts as a list or, in later versions, as text: `a:27017,b:27017`. */
function hostList(hosts: Json | undefined): string | undefined {
  if (typeof hosts === 'string') {
    const names = hosts.split(',').map((name) => name.trim());
    return names.every((name) => HOST.test(name)) ? names.join(',') : undefined;
  }
  const entries = Array.isArray(hosts) ? (hosts as readonly Json[]) : [];
  const addresses = entries.flatMap((entry) => {
    const host = isJsonObject(entry) ? textValue(entry['host']) : undefined;
    if (host === undefined || !HOST.test(host) || !isJsonObject(entry)) return [];
    return [`${host}:${numberValue(entry['port']) ?? DEFAULT_PORT}`];
  });
  return addresses.length === 0 || addresses.length < entries.length ? undefined : addresses.join(',');
}

function mongodbUri(block: JsonObject): string | undefined {
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
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['readPreference', 'left out: reads go to the primary'],
  ['authMechanism', 'left out: the driver chooses it'],
  ['maxPoolSize', 'left out: the driver chooses it'],
  ['testdb', 'left out: it was for tests'],
]);

/** The blocks of the older settings that name databases. */
const BLOCKS: ReadonlySet<string> = new Set(['database', 'mongodb']);

/** The databases of later versions, by name: `mongodb.databases`. */
function databasesOf(given: JsonObject): readonly (readonly [name: string, block: JsonObject])[] {
  const { databases } = given;
  const entries = isJsonObject(databases) ? Object.entries(databases) : [];
  return entries.flatMap(([name, block]) => (isJsonObject(block) ? [[name, block] as const] : []));
}

/** The name of the block that the others are beside: the one that says so, else the first. */
function mainName(given: JsonObject): string | undefined {
  const all = databasesOf(given);
  const [name] = all.find(([, one]) => isOn(one['default'])) ?? all[0] ?? [];
  return name;
}

function mainBlock(given: JsonObject): JsonObject {
  const name = mainName(given);
  const block = databasesOf(given).find(([one]) => one === name)?.[1] ?? {};
  return { hosts: given['hosts'] ?? null, ...block, database: block['id'] ?? name ?? null };
}

/** Whether all databases are on the hosts that the connection string names. */
function isOneDeployment(given: JsonObject): boolean {
  const hosts = databasesOf(given).map(([, block]) => hostList(block['hosts'] ?? given['hosts']));
  return new Set(hosts).size === 1;
}

function carryConnection(plan: SettingsPlan, path: string, block: JsonObject): void {
  const uri = mongodbUri(block);
  if (uri === undefined && !path.endsWith('hosts')) {
    plan.note(path, 'changed', 'left out: there are no hosts');
  } else if (uri === undefined) {
    plan.note(path, 'hand', 'the hosts cannot be read: set `CLOISTER_DATABASE_MONGODB_URI`');
  } else {
    plan.set('database.engine', 'mongodb');
    plan.setSecret('CLOISTER_DATABASE_MONGODB_URI', uri);
    plan.note(path, 'changed', 'a part of `CLOISTER_DATABASE_MONGODB_URI` in `.env`');
  }
}

/** Each property could have a database of its own, which is a setting for all now. */
function carryDatabases(plan: SettingsPlan, path: string, given: JsonObject): void {
  const names = databasesOf(given).map(([name]) => name);
  if (
    !isOneDeployment(given) &&
    names.length > 1 &&
    !path.startsWith(`mongodb.databases.${mainName(given)}.`)
  ) {
    plan.note(
      path,
      'hand',
      'there is one deployment: bring this database over with `mongodump` and `mongorestore`',
    );
    return;
  }
  carryConnection(plan, path, mainBlock(given));
  if (names.length === 1 || !isOneDeployment(given)) return;
  plan.set('database.enableCollectionDatabases', true);
  if (path.endsWith('.hosts'))
    plan.note(
      path,
      'hand',
      'each property had a database of its own, as `database.enableCollectionDatabases` has it: see whether the names are those of the databases',
    );
}

/** Hosts, user and database of the site. */
export const database: CarryRule = (plan, { path, value }) => {
  const [block = '', name = '', ...more] = path.split('.');
  if (!BLOCKS.has(block) || path === 'database.enableCollectionDatabases') return false;
  const given = plan.older.at(block);
  const left = LEFT_OUT.get(name);
  if (name === 'enableCollectionDatabases') {
    plan.set('database.enableCollectionDatabases', isOn(value));
    plan.note(path, 'changed', 'now `database.enableCollectionDatabases`');
  } else if (left !== undefined) plan.note(path, 'changed', left);
  else if (isJsonObject(given) && name === 'databases' && more.length > 0) carryDatabases(plan, path, given);
  else if (!isJsonObject(given) || (more.length > 0 && name !== 'hosts')) {
    plan.note(
      path,
      'hand',
      'a database of its own for some collections is not there: bring it over with `mongodump` and `mongorestore`',
    );
  } else if (!CONNECTION.has(name)) return false;
  else if (databasesOf(given).length > 0) plan.note(path, 'changed', 'left out: `databases` says it of each');
  else carryConnection(plan, path, given);
  return true;
};
