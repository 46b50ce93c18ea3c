// Validates values of settings, one by one and against each other.
import type { Json } from '../lib/json/json.ts';
import { createSchemaValidator, type SchemaValidator } from '../lib/json/json-schema.ts';
import type { NumberSchema, SettingSchema, TextSchema } from './schema/setting-schema.ts';
import type { Config } from './schema.ts';
import { SETTING_FORMATS } from './setting-formats.ts';
import type { Setting } from './setting-names.ts';

/** Replaces a secret in everything that leaves the server. */
export const REDACTED = '********';

const ANNOTATIONS = [
  'env',
  'secret',
  'aliases',
  'outsideFile',
  'overHttp',
  'expects',
  'unit',
  'dividedAmongWorkers',
];

/** Returns the message for an invalid value of a setting; undefined for a valid one. */
export type ValidateSetting = (setting: Setting, value: Json) => string | undefined;

/** What is wrong with an item of a list. `path`: its index, and the member if the item is an object. */
function itemMessage(leaf: SettingSchema, { path, message }: { path: string; message: string }): string {
  const [index, member] = path.split('.');
  const item = `item ${Number(index) + 1}`;
  if (member === undefined) return `${item} ${message}`;
  const items = 'items' in leaf && leaf.items.type === 'object' ? leaf.items.properties : {};
  const choice = Object.hasOwn(items, member) ? items[member] : undefined;
  const expected = choice !== undefined && 'oneOf' in choice ? choice.expects : message;
  return `${item}: ${member} ${expected}`;
}

function validateWith(check: SchemaValidator, setting: Setting, value: Json): string | undefined {
  if (setting.leaf.secret === true && value === REDACTED)
    return 'is the mark of a hidden secret, not a secret';
  const [first] = check(setting.leaf, value);
  if (first === undefined) return undefined;
  if ('oneOf' in setting.leaf) return setting.leaf.expects;
  return first.path === '' ? first.message : itemMessage(setting.leaf, first);
}

const FAST_CHECK_KEYWORDS: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ...['description', 'default', 'type', 'enum', 'format'],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum'],
]);

function isValidText(leaf: TextSchema, value: string): boolean {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, pattern } = leaf;
  const { length } = [...value];
  const hasFormat = format === undefined || SETTING_FORMATS[format]?.test(value) === true;
  const matches = pattern === undefined || new RegExp(pattern, 'u').test(value);
  return (
    hasFormat && matches && length >= minLength && length <= maxLength && leaf.enum?.includes(value) !== false
  );
}

function isValidNumber(leaf: NumberSchema, value: number): boolean {
  const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = leaf;
  return (type === 'number' || Number.isInteger(value)) && value >= minimum && value <= maximum;
}

/**
 * Accepts most valid values without loading the validator, which would delay every start that sets anything. Where it returns
 * false the value may still be valid: the validator decides.
 */
export function passesFastCheck({ leaf }: Setting, value: Json): boolean {
  if ('oneOf' in leaf || !Object.keys(leaf).every((keyword) => FAST_CHECK_KEYWORDS.has(keyword)))
    return false;
  if (leaf.secret === true && value === REDACTED) return false;
  if (leaf.type === 'string') return typeof value === 'string' && isValidText(leaf, value);
  if (leaf.type === 'boolean') return typeof value === 'boolean';
  return leaf.type !== 'array' && typeof value === 'number' && isValidNumber(leaf, value);
}

/** Loads the validator of single settings. Messages never repeat the value: it may be a secret. */
export async function createSettingValidator(): Promise<ValidateSetting> {
  const check = await createSchemaValidator({ annotations: ANNOTATIONS, formats: SETTING_FORMATS });
  return (setting, value) => validateWith(check, setting, value);
}

/** What is wrong with settings that are valid each. */
interface RuleIssue {
  /** Canonical path of the setting that is missing or wrong. */
  readonly path: string;
  readonly message: string;
}

type Issuers = Config['auth']['issuers'];

/** Tokens are told apart by `issuer`, users by `name`: neither may mean two. */
function repeatedIssuers(issuers: Issuers, member: 'name' | 'issuer'): string[] {
  return issuers.flatMap((issuer, at) => {
    const first = issuers.findIndex((other) => other[member] === issuer[member]);
    return first === at ? [] : [`item ${at + 1}: ${member} is that of item ${first + 1} too`];
  });
}

function keySourceIssues({ jwksUrl, publicKey }: Issuers[number], at: number): string[] {
  if ((jwksUrl === undefined) !== (publicKey === undefined)) return [];
  const found = jwksUrl === undefined ? 'neither' : 'both';
  return [`item ${at + 1} needs either jwksUrl or publicKey, and has ${found}`];
}

/** Ids of clients and of users would be taken for each other. */
function adminOfIssuer({ issuers, admin }: Pick<Config['auth'], 'issuers' | 'admin'>): readonly RuleIssue[] {
  const owner = issuers.find(({ name }) => admin.id?.startsWith(`${name}:`));
  if (owner === undefined) return [];
  const message = `begins with ${owner.name}: as ids of users of the issuer ${owner.name} do; choose another one (CLOISTER_ADMIN_ID)`;
  return [{ path: 'auth.admin.id', message }];
}

/** Checks issuers whose members are valid each, and that the configured admin is none of their users. */
function issuerIssues(auth: Pick<Config['auth'], 'issuers' | 'admin'>): readonly RuleIssue[] {
  const { issuers } = auth;
  const messages = [
    ...issuers.flatMap(keySourceIssues),
    ...repeatedIssuers(issuers, 'name'),
    ...repeatedIssuers(issuers, 'issuer'),
  ];
  return [...messages.map((message) => ({ path: 'auth.issuers', message })), ...adminOfIssuer(auth)];
}

function missingSettings(
  when: boolean,
  required: Readonly<Record<string, unknown>>,
  why: string,
): RuleIssue[] {
  if (!when) return [];
  return Object.entries(required)
    .filter(([, value]) => value === undefined)
    .map(([path]) => ({ path, message: `is missing: ${why}` }));
}

/** Node's HTTP server does not start when the time for headers is longer than that for the whole request. */
function requestTimeoutIssues({ limits }: Config): RuleIssue[] {
  if (limits.headersSeconds <= limits.requestSeconds) return [];
  return [{ path: 'limits.requestSeconds', message: 'must not be less than limits.headersSeconds' }];
}

/** Hosts with the just-in-time compiler have no memory limit: they are below every isolation level. */
function jitDomainIssues({ sandbox }: Config): RuleIssue[] {
  const { jitDomains, minimumLevel } = sandbox;
  if (jitDomains.length === 0 || minimumLevel === 0) return [];
  const message = `must be empty: hosts of these domains are of level 0, and sandbox.minimumLevel is ${minimumLevel}`;
  return [{ path: 'sandbox.jitDomains', message }];
}

/** Bytes that the keys of a bucket leave for their prefix. */
const MAX_PREFIX_BYTES = 124;

/** In a bucket, the base path is a key prefix instead of a file system path. */
function bucketPrefixIssues({ media: { storage, basePath } }: Config): RuleIssue[] {
  if (storage !== 's3') return [];
  const path = 'media.basePath';
  const parts = basePath.split('/');
  if (parts[0] === '') return [{ path, message: 'must not begin with `/`: in a bucket it is a prefix' }];
  if (parts.includes('..') || /[\\\p{Cc}]/u.test(basePath))
    return [{ path, message: 'must have no `..`, `\\` or control characters: in a bucket it is a prefix' }];
  if (Buffer.byteLength(basePath) > MAX_PREFIX_BYTES)
    return [{ path, message: `must have ${MAX_PREFIX_BYTES} bytes at the most: in a bucket it is a prefix` }];
  return [];
}

/** Settings that a choice needs, and the reason that a message gives. */
type Needs = (config: Config) => readonly [settings: Readonly<Record<string, unknown>>, reason: string];
const NOTHING: Needs = () => [{}, ''];

/** A row per engine: the type names one without. */
const DATABASE_NEEDS: Readonly<Record<Config['database']['engine'], Needs>> = {
  sqlite: NOTHING,
  mongodb: ({ database }) => [
    { 'database.mongodb.uri': database.mongodb.uri },
    'database.engine is mongodb (CLOISTER_DATABASE_MONGODB_URI)',
  ],
};

const CACHE_NEEDS: Readonly<Record<Config['cache']['engine'], Needs>> = {
  memory: NOTHING,
  filesystem: NOTHING,
  redis: ({ cache }) => [
    { 'cache.redis.url': cache.redis.url },
    'cache.engine is redis (CLOISTER_CACHE_REDIS_URL)',
  ],
};

/** The settings that the media bucket needs. */
function bucketSettings({ media: { s3 } }: Config): Readonly<Record<string, unknown>> {
  const { accessKey, secretKey, bucketName, region, endpoint } = s3;
  return {
    'media.s3.accessKey': accessKey,
    'media.s3.secretKey': secretKey,
    'media.s3.bucketName': bucketName,
    // Services with an endpoint of their own mostly have no regions.
    'media.s3.region': region ?? endpoint,
  };
}

/** The missing settings of the media bucket. */
export function missingBucketSettings(config: Config): readonly string[] {
  return missingSettings(true, bucketSettings(config), '').map(({ path }) => path);
}

/** Whether several machines use the database: the embedded one is where the files of the workspace are too. */
const IS_SHARED: Readonly<Record<Config['database']['engine'], boolean>> = { sqlite: false, mongodb: true };

function workspaceIssues({ workspace, database }: Config): readonly RuleIssue[] {
  if (workspace.store === 'files' || IS_SHARED[database.engine]) return [];
  const message =
    'must be files with the embedded database; database is for servers that share one MongoDB: set database.engine to mongodb';
  return [{ path: 'workspace.store', message }];
}

/** Checks the rules between settings. */
export function findConfigRuleIssues(config: Config): readonly RuleIssue[] {
  const { admin } = config.auth;
  return [
    ...missingSettings(
      (admin.id === undefined) !== (admin.secret === undefined),
      { 'auth.admin.id': admin.id, 'auth.admin.secret': admin.secret },
      'the first admin needs both an id and a secret (CLOISTER_ADMIN_ID, CLOISTER_ADMIN_SECRET)',
    ),
    ...missingSettings(true, ...DATABASE_NEEDS[config.database.engine](config)),
    ...missingSettings(true, ...CACHE_NEEDS[config.cache.engine](config)),
    ...missingSettings(
      config.media.storage === 's3',
      bucketSettings(config),
      'media.storage is s3 (keys: CLOUD_S3_ACCESS_KEY, CLOUD_S3_SECRET_KEY)',
    ),
    ...bucketPrefixIssues(config),
    ...missingSettings(
      config.geolocation.enabled && config.geolocation.method === 'remote',
      { 'geolocation.url': config.geolocation.url },
      'geolocation.method is remote',
    ),
    ...issuerIssues(config.auth),
    ...workspaceIssues(config),
    ...requestTimeoutIssues(config),
    ...jitDomainIssues(config),
  ];
}
