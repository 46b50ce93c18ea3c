// The one declaration of every setting. Types, defaults, environment names, docs, editor schema and redaction follow it.
import type { Infer } from '../lib/json/json-schema.ts';
import { AUTH_SCHEMA, CORS_SCHEMA } from './schema/access.ts';
import { ADMIN_SCHEMA, DOCS_SCHEMA } from './schema/admin.ts';
import { ASSETS_SCHEMA, DELIVERY_SCHEMA, IMAGES_SCHEMA, NOT_FOUND_SCHEMA } from './schema/delivery.ts';
import { LIMITS_SCHEMA } from './schema/limits.ts';
import { GEOLOCATION_SCHEMA, NETWORK_SCHEMA } from './schema/lookups.ts';
import { METRICS_SCHEMA } from './schema/metrics.ts';
import { SANDBOX_SCHEMA } from './schema/sandbox.ts';
import { LOGGING_SCHEMA, PATHS_SCHEMA, SERVER_SCHEMA, WORKSPACE_SCHEMA } from './schema/server.ts';
import type { SettingGroup } from './schema/setting-schema.ts';
import { CACHE_SCHEMA, DATABASE_SCHEMA, MEDIA_SCHEMA } from './schema/storage.ts';

export const CONFIG_SCHEMA = {
  type: 'object',
  description: 'The configuration of Cloister.',
  properties: {
    server: SERVER_SCHEMA,
    delivery: DELIVERY_SCHEMA,
    publicUrl: {
      type: 'string',
      format: 'http-url',
      description: 'The address under which clients reach the content API, when a proxy stands in front.',
    },
    workspace: WORKSPACE_SCHEMA,
    paths: PATHS_SCHEMA,
    database: DATABASE_SCHEMA,
    auth: AUTH_SCHEMA,
    cors: CORS_SCHEMA,
    cache: CACHE_SCHEMA,
    feedback: {
      type: 'object',
      description:
        'Whether a DELETE answers 200 with a body that counts what was removed, instead of 204. A bare boolean will do.',
      shorthand: 'enabled',
      properties: {
        enabled: { type: 'boolean', default: false, overHttp: 'any', description: 'Whether it does.' },
      },
    },
    query: {
      type: 'object',
      description: 'What requests see of documents.',
      properties: {
        useVersionFilter: {
          type: 'boolean',
          default: false,
          description:
            'Whether requests see only documents that were written under the version in their URL. Without it, collections of the same name in several versions show the same documents.',
        },
      },
    },
    sandbox: SANDBOX_SCHEMA,
    media: MEDIA_SCHEMA,
    images: IMAGES_SCHEMA,
    assets: ASSETS_SCHEMA,
    notFound: NOT_FOUND_SCHEMA,
    geolocation: GEOLOCATION_SCHEMA,
    network: NETWORK_SCHEMA,
    logging: LOGGING_SCHEMA,
    metrics: METRICS_SCHEMA,
    admin: ADMIN_SCHEMA,
    docs: DOCS_SCHEMA,
    limits: LIMITS_SCHEMA,
  },
} as const satisfies SettingGroup;

/** The effective configuration: frozen, complete, passed down in slices. A leaf without a default may be undefined. */
export type Config = Infer<typeof CONFIG_SCHEMA>;
