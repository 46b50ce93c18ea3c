// Whether values are what their settings allow, one by one and together.
import type { Json } from '../lib/json.ts';
import { createSchemaCheck, type SchemaCheck } from '../lib/json-schema.ts';
import { FORMATS } from './formats.ts';
import type { Config } from './schema.ts';
import type { Setting } from './settings.ts';

/** What stands for a secret in everything that leaves the server. */
export const REDACTED = '********';

const ANNOTATIONS = ['env', 'secret', 'aliases', 'outsideFile', 'overHttp', 'expects'];

/** Says what is wrong with a value of a setting, or nothing. */
export type SettingCheck = (setting: Setting, value: Json) => string | undefined;

function checkWith(check: SchemaCheck, setting: Setting, value: Json): string | undefined {
  if (setting.leaf.secret === true && value === REDACTED)
    return 'is the mark of a hidden secret, not a secret';
  const [first] = check(setting.leaf, value);
  if (first === undefined) return undefined;
  if ('oneOf' in setting.leaf) return setting.leaf.expects;
  return first.path === '' ? first.message : `item ${Number(first.path) + 1} ${first.message}`;
}

/** Loads the validator and gives the check of single settings. Messages never repeat the value: it may be a secret. */
export async function createSettingCheck(): Promise<SettingCheck> {
  const check = await createSchemaCheck({ annotations: ANNOTATIONS, formats: FORMATS });
  return (setting, value) => checkWith(check, setting, value);
}

interface BrokenRule {
  /** Canonical path of the setting that is missing or wrong. */
  readonly path: string;
  readonly message: string;
}

function missing(when: boolean, required: Readonly<Record<string, unknown>>, why: string): BrokenRule[] {
  if (!when) return [];
  return Object.entries(required)
    .filter(([, value]) => value === undefined)
    .map(([path]) => ({ path, message: `is missing: ${why}` }));
}

/** Node's HTTP server does not start when the time for headers is longer than that for the whole request. */
function shorterThanHeaders({ limits }: Config): BrokenRule[] {
  if (limits.headersSeconds <= limits.requestSeconds) return [];
  return [{ path: 'limits.requestSeconds', message: 'must not be less than limits.headersSeconds' }];
}

/** Hosts with the just-in-time compiler have no limit of memory: they are below every level. */
function withinLevel({ sandbox }: Config): BrokenRule[] {
  const { jitDomains, minimumLevel } = sandbox;
  if (jitDomains.length === 0 || minimumLevel === 0) return [];
  const message = `must be empty: hosts of these domains are of level 0, and sandbox.minimumLevel is ${minimumLevel}`;
  return [{ path: 'sandbox.jitDomains', message }];
}

/** The rules between settings that a configuration breaks. */
export function brokenRules(config: Config): readonly BrokenRule[] {
  const { admin } = config.auth;
  const { s3 } = config.media;
  return [
    ...missing(
      (admin.id === undefined) !== (admin.secret === undefined),
      { 'auth.admin.id': admin.id, 'auth.admin.secret': admin.secret },
      'the first admin needs both an id and a secret (CLOISTER_ADMIN_ID, CLOISTER_ADMIN_SECRET)',
    ),
    ...missing(
      config.database.engine === 'mongodb',
      { 'database.mongodb.uri': config.database.mongodb.uri },
      'database.engine is mongodb (CLOISTER_DATABASE_MONGODB_URI)',
    ),
    ...missing(
      config.media.storage === 's3',
      {
        'media.s3.accessKey': s3.accessKey,
        'media.s3.secretKey': s3.secretKey,
        'media.s3.bucketName': s3.bucketName,
        'media.s3.region': s3.region,
      },
      'media.storage is s3',
    ),
    ...missing(
      config.geolocation.enabled && config.geolocation.method === 'remote',
      { 'geolocation.url': config.geolocation.url },
      'geolocation.method is remote',
    ),
    ...shorterThanHeaders(config),
    ...withinLevel(config),
  ];
}
