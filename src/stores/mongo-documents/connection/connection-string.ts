// Parses the connection string and creates the driver's client. Options that the store's guarantees rest on are fixed. Also
// maps namespaces to databases of the server.

import { MongoClient, type MongoClientOptions, ReadConcern, ReadPreference } from 'mongodb';
import { AppError } from '../../../errors/errors.ts';
import { parsePairs } from '../../../lib/http/parse-pairs.ts';
import type { Namespace } from '../../ports.ts';

/** The database of a connection string that names none. */
const DEFAULT_DATABASE = 'cloister';

/** Limits of database names: https://www.mongodb.com/docs/manual/reference/limits/ */
const MAX_BYTES = 63;
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the forbidden ones.
const FORBIDDEN_CHARACTERS = /[/\\. "$*<>:|?\u0000]/;

/** Databases that belong to the server. */
const SYSTEM_DATABASES: ReadonlySet<string> = new Set(['admin', 'local', 'config']);

/** Whether documents may be kept in a database of this name. */
export function isDatabaseName(name: string): boolean {
  const fits = name !== '' && Buffer.byteLength(name) <= MAX_BYTES;
  return fits && !FORBIDDEN_CHARACTERS.test(name) && !SYSTEM_DATABASES.has(name);
}

/** The database and collection of a namespace; `own` is the database of the connection string. */
export function locateNamespace(
  ns: Namespace,
  own: string,
): { readonly database: string; readonly collection: string } {
  return { database: ns.database ?? own, collection: ns.collection };
}

/** The databases as namespaces name them: null for that of the connection string. */
export function namespaceDatabases(databases: readonly string[], own: string): readonly (string | null)[] {
  return [null, ...databases.filter((name) => name !== own && !SYSTEM_DATABASES.has(name))];
}

interface ClientOptions {
  readonly uri: string;
  /** Id of the process. */
  readonly owner?: string | undefined;
  readonly maxPoolSize: number;
  readonly minPoolSize: number;
  /** How long an operation may wait for a connection of the pool, in milliseconds. */
  readonly queueMs: number;
}

export interface ClientSource {
  /** The database that the connection string names, or the default. */
  readonly database: string;
  /** What must never be seen in a message: the credentials, as written and as meant. */
  readonly secrets: readonly string[];
  /** A new client, not connected yet. */
  create(): MongoClient;
}

/** How long a server that takes writes is looked for, in milliseconds: an election takes longer, and callers try again. */
export const SERVER_SELECTION_MS = 3000;

/** Together they bound how long a server that hangs goes unnoticed, in milliseconds. */
const HEARTBEAT_MS = 2000;
const CONNECT_MS = 5000;

/** Options that the guarantees of the store rest on. They are dropped from the connection string. */
const RESERVED_OPTIONS: ReadonlySet<string> = new Set([
  ...['w', 'j', 'journal', 'fsync', 'wtimeout', 'wtimeoutms', 'writeconcern'],
  ...['readpreference', 'readpreferencetags', 'maxstalenessseconds', 'readconcern', 'readconcernlevel'],
  ...['retryreads', 'retrywrites', 'maxpoolsize', 'minpoolsize', 'waitqueuetimeoutms', 'appname'],
  ...['serverselectiontimeoutms', 'connecttimeoutms', 'sockettimeoutms', 'timeoutms', 'heartbeatfrequencyms'],
  ...[
    'bsonregexp',
    'checkkeys',
    'enableutf8validation',
    'fieldsasraw',
    'forceserverobjectid',
    'ignoreundefined',
  ],
  ...['promotebuffers', 'promotelongs', 'promotevalues', 'raw', 'serializefunctions', 'usebigint64'],
]);

/** The parts of a connection string, cut as the driver cuts it. */
const CONNECTION_STRING =
  /^(?<scheme>mongodb(?:\+srv)?:\/\/)(?:(?<user>[^:@]*)(?::(?<password>[^@]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/s;

/** Options of a connection string that are credentials. */
const SECRET_OPTIONS = [
  'proxyPassword',
  'proxyUsername',
  'tlsCertificateKeyFilePassword',
  'authMechanismProperties',
];

/** Shorter secrets occur in too many words: redacting those would reveal them. */
const MIN_SECRET_LENGTH = 3;

const NO_DATABASE =
  'names a database that cannot hold documents: admin, local and config belong to the server (a database that only knows the user goes into authSource), and a name has no more than 63 bytes and none of / \\ . " $ * < > : | ? or space';

function configurationError(why: string): AppError {
  // Neither cause nor message repeats any part of the string: all of it is secret.
  const message = `database.mongodb.uri ${why}`;
  return new AppError('CONFIGURATION_INVALID', { field: 'database.mongodb.uri', message });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw configurationError('is not percent-encoded as a connection string must be');
  }
}

function secretsOf(user = '', password = '', query: URLSearchParams): readonly string[] {
  const options = [...query]
    .filter(([name]) => SECRET_OPTIONS.some((secret) => secret.toLowerCase() === name.toLowerCase()))
    .map(([, value]) => value);
  const meant = [user, password, decoded(user), decoded(password), ...options];
  const written = meant.flatMap((text) => [text, encodeURIComponent(text)]);
  // The longest first: one may be part of another.
  return [...new Set(written)]
    .filter((text) => text.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
}

/** What the server knows a connection by: what a process has left is found by it. */
export const applicationName = (owner?: string): string =>
  owner === undefined ? 'cloister' : `cloister ${owner}`;

function clientOptions({ owner, maxPoolSize, minPoolSize, queueMs }: ClientOptions): MongoClientOptions {
  return {
    appName: applicationName(owner),
    writeConcern: { w: 'majority', journal: true },
    readPreference: ReadPreference.primary,
    // Only what an election cannot roll back. Acknowledged writes are included already; measured, it costs nothing.
    readConcern: new ReadConcern('majority'),
    retryReads: true,
    retryWrites: true,
    maxPoolSize,
    minPoolSize: Math.min(minPoolSize, maxPoolSize),
    waitQueueTimeoutMS: queueMs,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    connectTimeoutMS: CONNECT_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    ignoreUndefined: true,
    promoteValues: true,
    promoteLongs: true,
    promoteBuffers: false,
    // Patterns that others stored need not be valid here, nor their text valid UTF-8.
    bsonRegExp: true,
    enableUtf8Validation: false,
  };
}

/** The database that a connection string names; undefined where it names none, or cannot be read. */
export function databaseOfConnectionString(uri: string): string | undefined {
  const path = CONNECTION_STRING.exec(uri)?.groups?.['path'] ?? '';
  return path === '' ? undefined : decoded(path);
}

/** Reads the connection string. Throws CONFIGURATION_INVALID, which repeats no part of it, where the driver cannot. */
export function createClientSource(options: ClientOptions): ClientSource {
  const parts = CONNECTION_STRING.exec(options.uri)?.groups;
  if (parts === undefined)
    throw configurationError('is no connection string: mongodb:// or mongodb+srv:// and a host');
  const { scheme = '', user, password, hosts = '', path = '' } = parts;
  const query = parsePairs(parts['query'] ?? '');
  const database = path === '' ? DEFAULT_DATABASE : decoded(path);
  if (!isDatabaseName(database)) throw configurationError(NO_DATABASE);
  const secrets = secretsOf(user, password, query);
  for (const name of [...query.keys()]) if (RESERVED_OPTIONS.has(name.toLowerCase())) query.delete(name);
  const login = user === undefined ? '' : `${user}${password === undefined ? '' : `:${password}`}@`;
  const uri = `${scheme}${login}${hosts}/${path}?${query}`;
  const create = () => {
    try {
      return new MongoClient(uri, clientOptions(options));
    } catch {
      throw configurationError(
        'cannot be read: a host, a port, an option or the value of an option in it is wrong',
      );
    }
  };
  // The driver reads the rest. A client that never connects holds nothing that would have to be released.
  create();
  return { database, secrets, create };
}
